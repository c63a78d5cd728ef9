import AggregatorCore
import Platform
import SourceTesting
import Terminal
import Testing

@testable import AggregatorCommand

/// Pictures on terminals that can show them, and on those that cannot.
struct PictureDisplayTests {
  static let kitty = ["TERM": "xterm-kitty"]

  @Test("a PNG goes to a terminal with kitty's protocol, followed by its path")
  func kitty() throws {
    let shop = try FakePictureShop([("Desk Lamp", ["/a.png"])])
    let folder = try Folder.fresh()
    let terminal = try Terminal("products image 1 --save \(folder)", columns: 80, environment: shop.environment + Self.kitty).ending()
    let data = Base64.encode(FakePictureShop.png)
    #expect(terminal.shown.hasSuffix("\u{1B}_Ga=T,f=100,q=2,m=0;\(data)\u{1B}\\\r\n\(folder)/Desk Lamp.png\r\n"))
  }

  @Test(
    "a terminal without kitty's protocol gets only the path of a picture",
    arguments: [
      ["TERM": "xterm"], ["TERM": "dumb", "KITTY_WINDOW_ID": "1"], ["TERM": "xterm-kitty", "TMUX": "/tmp/x"],
      ["TERM": "screen-256color", "KITTY_WINDOW_ID": "1"], ["TERM": "xterm", "TERM_PROGRAM": "Apple_Terminal"],
    ])
  func plain(environment: [String: String]) throws {
    let shop = try FakePictureShop([("Desk Lamp", ["/a.png"])])
    let folder = try Folder.fresh()
    let terminal = try Terminal(
      "products image 1 --quiet --save \(folder)", columns: 80, environment: shop.environment + ["PATH": "/nowhere"] + environment
    ).ending()
    #expect(terminal.shown == "\(folder)/Desk Lamp.png\r\n")
  }

  @Test("a program that reads the output gets only the path of a picture")
  func piped() async throws {
    let shop = try FakePictureShop([("Desk Lamp", ["/a.png"])])
    let folder = try Folder.fresh()
    try await expect(shop.run("products image 1 --save \(folder)", environment: Self.kitty), output: "\(folder)/Desk Lamp.png\n")
  }

  /// A folder with a `chafa` that runs this script.
  private func chafa(_ script: String) throws -> String {
    let folder = try Folder.fresh()
    try Folder.write("#!/bin/sh\n\(script)\n", to: "\(folder)/chafa")
    #expect(try Binary.shell("chmod +x \"$F/chafa\"", environment: ["F": folder]).code == 0)
    return folder
  }

  private func shown(_ name: String, by script: String, environment: [String: String] = [:], arguments: [String] = []) throws -> [String] {
    let shop = try FakePictureShop([("-Desk $(Lamp)", ["/\(name)"])])
    let path = "\(try chafa(script)):/usr/bin:/bin"
    let folder = try Folder.fresh()
    let terminal = try Terminal(
      "products image 1 --quiet --save \(folder)", columns: 80, options: arguments,
      environment: shop.environment + ["PATH": path, "COMIC_VINE_API_KEY": "s3cr3t"] + environment
    ).ending()
    return terminal.lines.map { $0.replacing(folder, with: "DIR") }
  }

  @Test("chafa draws a picture with characters at a given size, and is started without a shell and without keys")
  func chafa() throws {
    let script = #"printf '%s|' "$@"; echo; env | grep -c s3cr3t; read -r line || echo nothing to read"#
    #expect(
      try shown("a.png", by: script) == [
        "--animate=off|--size=80x48|--format=symbols|--|DIR/Desk $(Lamp).png|", "0", "nothing to read", "DIR/Desk $(Lamp).png",
      ])
    #expect(try shown("a.png", by: script, arguments: ["--color", "never"]).first?.contains("--colors=none") == true)
  }

  @Test("chafa turns pictures that kitty's protocol does not take into pixels for it")
  func both() throws {
    #expect(
      try shown("a.gif", by: #"printf '%s|' "$@"; echo"#, environment: Self.kitty).first
        == "--animate=off|--size=80x48|--format=kitty|--|DIR/Desk $(Lamp).gif|")
  }

  @Test("the path of a picture is shown if chafa fails", arguments: ["echo half; exit 1", "kill -9 $$", "exec /nowhere/chafa"])
  func failing(script: String) throws { #expect(try shown("a.png", by: script) == ["DIR/Desk $(Lamp).png"]) }

  @Test("a program that does not end, or prints without end, is stopped")
  func endless() throws {
    let clock = TestClock()
    #expect(Child.output(of: "/bin/sh", ["-c", "exec cat /dev/zero"], environment: [:], limit: 1 << 20, clock: clock) == nil)
    #expect(Child.output(of: "/bin/sh", ["-c", "exec tail -f /dev/null"], environment: [:], patience: .zero, clock: clock) == nil)
    #expect(Child.output(of: "/bin/sh", ["-c", "printf yes"], environment: [:], clock: clock) == Array("yes".utf8))
    #expect(Child.output(of: "/nowhere", [], environment: [:], clock: clock) == nil)
  }

  @Test("a large picture is sent in pieces of 4096 characters, and asks for no reply")
  func chunks() throws {
    let bytes = FakePictureShop.png + (0..<10_000).map { UInt8(truncatingIfNeeded: $0) }
    let text = String(
      decoding: KittyGraphics.sequence(showing: try #require(KittyPicture(png: bytes)), on: TerminalSize(columns: 80, rows: 24)),
      as: UTF8.self)
    let pieces = text.split(separator: "\u{1B}\\").map { $0.split(separator: ";") }
    #expect(pieces.map { $0[0] } == ["\u{1B}_Ga=T,f=100,q=2,m=1", "\u{1B}_Gq=2,m=1", "\u{1B}_Gq=2,m=1", "\u{1B}_Gq=2,m=0"])
    #expect(pieces.dropLast().allSatisfy { $0[1].count == 4096 })
    #expect(pieces.map { $0[1] }.joined() == Base64.encode(bytes))
  }

  @Test(
    "a picture has its own size, unless the terminal is smaller",
    arguments: [
      (100, 100, ""), (1000, 100, ",c=80"), (100, 1000, ",r=23"), (4000, 1000, ",c=80"), (800, 480, ""), (801, 480, ",c=80"),
    ])
  func size(width: Int, height: Int, expected: String) throws {
    var size = TerminalSize(columns: 80, rows: 24)
    (size.width, size.height) = (800, 480)
    var png = FakePictureShop.png
    png.replaceSubrange(16..<24, with: [width, height].flatMap { value in [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) } })
    let text = String(decoding: KittyGraphics.sequence(showing: try #require(KittyPicture(png: png)), on: size), as: UTF8.self)
    #expect(text.hasPrefix("\u{1B}_Ga=T,f=100\(expected),q=2,m=0;"))
  }

  @Test(
    "terminals with kitty's protocol are recognized",
    arguments: [
      (["KITTY_WINDOW_ID": "1", "TERM": "xterm-256color"], true), (["TERM": "xterm-kitty"], true), (["TERM_PROGRAM": "ghostty"], true),
      (["TERM_PROGRAM": "WezTerm"], true), (["TERM": "xterm-ghostty"], true), (["TERM": "xterm"], false), ([:], false),
      (["KITTY_WINDOW_ID": "1", "TMUX": "x"], false), (["TERM_PROGRAM": "WezTerm", "TERM": "tmux-256color"], false),
    ] as [([String: String], Bool)])
  func spoken(environment: [String: String], expected: Bool) { #expect(KittyGraphics.isSpoken(in: environment) == expected) }
}
