import AggregatorCore
import Platform
import SourceTesting
import Testing

@testable import AggregatorCommand

/// Pictures, the mouse and the clipboard in the browser, each on a terminal of the test's own.
@Suite(.timeLimit(.minutes(10))) struct BrowsePictureTests {
  private static let titles = ["Desk Lamp", "Kettle", "Chair"]

  private func shop() throws -> FakePictureShop {
    try FakePictureShop(Self.titles.enumerated().map { ($1, ["/\($0 + 1).\($0 == 1 ? "gif" : "png")"]) })
  }

  /// A folder with a `chafa` that draws the name of the file and its options, and reports any secret that it sees.
  private func path() throws -> String {
    let folder = try Folder.fresh()
    let script = #"""
      #!/bin/sh
      for last; do :; done
      case "$3" in
      --format=kitty) printf '\033_Ga=T,f=24,s=1,v=1,m=0;AAAA\033\\' ;;
      *) printf 'drawn %s\n%s\n%s%s\n' "$2" "$3" "$4" "$(env | grep -c s3cr3t)" ;;
      esac
      """#
    try Folder.write(script + "\n", to: "\(folder)/chafa")
    #expect(try Binary.shell("chmod +x \"$F/chafa\"", environment: ["F": folder]).code == 0)
    return "\(folder):/usr/bin:/bin"
  }

  @Test("the picture of the selected record is drawn by chafa; i hides it", .enabled(if: Multiplexer.isInstalled, "tmux is not installed"))
  func characters() throws {
    let shop = try shop()
    let environment = ["PATH": try path(), "COMIC_VINE_API_KEY": "s3cr3t"]
    let shell = try Multiplexer(columns: 120, rows: 30, environment: shop.environment + environment)
    try shell.type("\"$A\" browse products")
    let lines = try shell.waitFor("drawn --size=36x12")
    #expect(lines[2].hasPrefix("> Desk Lamp") && lines[2].contains("│ drawn --size=36x12"))
    #expect(lines[3].hasSuffix("│ --format=symbols") && lines[4].hasSuffix("│ --colors=2560"), "\(lines)")
    #expect(shop.asked == ["/1.png"])
    try shell.press("j")
    try shell.wait("the second record") { $0.contains("> Kettle") && $0.contains("drawn --size=36x12") }
    try shell.press("i")
    try shell.wait("no picture") { $0.contains("pictures are hidden") && !$0.contains("drawn") }
    try shell.press("j", see: "> Chair")
    try shell.press("q")
    try shell.wait("the shell") { _ in try shell.modes == "0 1 0" }
    #expect(shop.asked == ["/1.png", "/2.gif"])
  }

  @Test("a terminal with kitty's protocol gets each picture once, and keeps none at the end")
  func pixels() throws {
    let shop = try shop()
    let environment = shop.environment + ["TERM": "xterm-kitty", "PATH": try path()]
    let terminal = try Terminal("browse products", columns: 120, rows: 30, environment: environment)
    let data = Base64.encode(FakePictureShop.png)
    try terminal.waitFor("\u{1B}_Ga=t,f=100,i=1,q=2,m=0;\(data)\u{1B}\\")
    // The picture is square, in cells twice as high as they are wide, above the record.
    try terminal.waitFor("H\u{1B}_Ga=p,i=1,p=1,c=24,r=12,C=1,q=2\u{1B}\\")
    terminal.type("j")
    // A picture that is not a PNG is turned into pixels by chafa.
    try terminal.waitFor("\u{1B}_Ga=d,d=i,i=1,q=2\u{1B}\\")
    try terminal.waitFor("\u{1B}_Ga=t,f=24,s=1,v=1,i=2,q=2,m=0;AAAA\u{1B}\\")
    terminal.type("k")
    try terminal.waitFor("a=p,i=1,", times: 2)
    #expect(terminal.end(typing: "q") == 0)
    #expect(terminal.shown.split(separator: data, omittingEmptySubsequences: false).count == 2)
    #expect(terminal.shown.contains("\u{1B}_Ga=d,d=A,q=2\u{1B}\\\u{1B}\\\u{1B}[0m"))
  }

  @Test("the program that draws a picture is ended as soon as the picture is not wanted any more")
  func unwanted() throws {
    let shop = try shop()
    let folder = try Folder.fresh()
    try Folder.write("#!/bin/sh\necho $$ >>\"$0.ids\"\nexec tail -f /dev/null\n", to: "\(folder)/chafa")
    #expect(try Binary.shell("chmod +x \"$F/chafa\"", environment: ["F": folder]).code == 0)
    let environment = shop.environment + ["PATH": "\(folder):/usr/bin:/bin"]
    let terminal = try Terminal("browse products", columns: 120, rows: 30, environment: environment)
    /// Waits until `begun` programs have started and `alive` of them live, for less time than they would be given to draw.
    func wait(begun: Int, alive: Int) throws {
      let counted = #"while [ "$(wc -l <"$F.ids" 2>/dev/null || echo 0)" -ne \#(begun) ]; do :; done; "#
      let living =
        #"while n=0; for id in $(cat "$F.ids"); do kill -0 $id 2>/dev/null && n=$((n+1)); done; [ $n -ne \#(alive) ]; do :; done"#
      let script = "timeout 60 sh -c '\(counted)' && timeout 8 sh -c '\(living)'"
      #expect(try Binary.shell(script, environment: ["F": "\(folder)/chafa"]).code == 0)
    }
    try wait(begun: 1, alive: 1)
    terminal.type("j")
    try wait(begun: 2, alive: 1)
    #expect(terminal.end(typing: "q") == 0)
    try wait(begun: 2, alive: 0)
  }

  @Test("the browser downloads and sends no picture if the terminal cannot show pictures")
  func none() throws {
    let shop = try shop()
    let terminal = try Terminal("browse products", columns: 120, rows: 30, environment: shop.environment + ["PATH": "/nowhere"])
    try terminal.waitFor("Desk Lamp")
    try terminal.type("i", see: "no pictures: 'chafa' is not installed")
    #expect(terminal.end(typing: "q") == 0 && shop.asked.isEmpty && !terminal.shown.contains("\u{1B}_G"))
  }

  @Test("the browser takes the mouse if asked for, and gives it back", .enabled(if: Multiplexer.isInstalled, "tmux is not installed"))
  func mouse() throws {
    let shell = try Multiplexer()
    try shell.type("\"$A\" browse countries --offline --mouse", see: "> Afghanistan")
    #expect(try shell.modes == "1 1 1")
    // Presses on the fifth line, where the second record begins.
    try shell.send([0x1B] + "[<0;3;5M".utf8)
    try shell.waitFor("> Åland Islands")
    try shell.press("M", see: "the mouse is the terminal's again")
    #expect(try shell.modes == "1 1 0")
    try shell.press("M", "C-z", see: "topped")
    #expect(try shell.modes == "0 1 0")
    try shell.type("fg", see: "> Åland Islands")
    #expect(try shell.modes == "1 1 1")
    try shell.press("q")
    try shell.wait("the shell") { _ in try shell.modes == "0 1 0" }
  }

  @Test("the browser takes the mouse once, and sends nothing before it takes the terminal")
  func order() throws {
    let terminal = try Terminal("browse countries --offline --mouse", columns: 80, rows: 24)
    try terminal.waitFor("Afghanistan")
    #expect(terminal.end(typing: "q") == 0)
    #expect(terminal.shown.hasPrefix("\u{1B}[?1049h") && terminal.shown.split(separator: "\u{1B}[?1000h").count == 2)
  }

  @Test("y copies the id to the terminal's clipboard, and o the address of the record's page")
  func copies() throws {
    let terminal = try Terminal("browse products --offline", columns: 80, rows: 30)
    try terminal.waitFor("Fjordline Steel Kettle")
    try terminal.type("o", see: "\u{1B}]52;c;\(Base64.encode("https://shop.example.net/item/0".utf8))\u{1B}\\")
    try terminal.type("y", see: "\u{1B}]52;c;\(Base64.encode("dcf98c13-f5c3-4067-a1e6-54b8408cd7c4".utf8))\u{1B}\\")
    #expect(terminal.end(typing: "q") == 0)
  }
}
