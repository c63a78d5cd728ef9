import Platform

/// Kitty's graphics protocol, as much of it as shows pictures.
package enum KittyGraphics {
  /// Whether the terminal speaks it. A multiplexer in between does not pass it on.
  package static func isSpoken(in environment: [String: String]) -> Bool {
    let terminal = environment["TERM"] ?? ""
    if FullScreen.isMultiplexed(environment) || terminal.hasPrefix("screen") || terminal.hasPrefix("tmux") { return false }
    return !(environment["KITTY_WINDOW_ID"] ?? "").isEmpty || terminal == "xterm-kitty" || terminal == "xterm-ghostty"
      || ["ghostty", "wezterm"].contains((environment["TERM_PROGRAM"] ?? "").lowercased())
  }

  /// What shows `picture` where the cursor is, no larger than the terminal.
  package static func sequence(showing picture: KittyPicture, on size: TerminalSize) -> [UInt8] {
    commands("a=T,\(picture.format)\(bound(of: picture, on: size))", picture.data)
  }

  /// A command in as many pieces as its payload needs.
  static func commands(_ keys: String, _ payload: [UInt8]) -> [UInt8] {
    let pieces = stride(from: 0, to: max(1, payload.count), by: mostBytes).map {
      payload[$0..<min($0 + mostBytes, payload.count)]
    }
    var sequence: [UInt8] = []
    for (index, piece) in pieces.enumerated() {
      // q=2 in every one: an answer would come as if it had been typed.
      sequence += "\u{1B}_G\(index == 0 ? keys + "," : "")q=2,m=\(index == pieces.count - 1 ? 0 : 1);".utf8
      sequence += piece
      sequence += "\u{1B}\\".utf8
    }
    return sequence
  }

  /// The most that one command may carry, a multiple of four.
  private static let mostBytes = 4096

  /// How many columns or rows it shall take, if it is larger than the terminal; the terminal keeps its shape.
  private static func bound(of picture: KittyPicture, on size: TerminalSize) -> String {
    guard size.width > 0, size.height > 0 else { return "" }
    let share = (width: Double(picture.width) / Double(size.width), height: Double(picture.height) / Double(size.height))
    if max(share.width, share.height) <= 1 { return "" }
    return share.width > share.height ? ",c=\(size.columns)" : ",r=\(max(1, size.rows - 1))"
  }
}

/// A picture as kitty's graphics protocol carries it.
package struct KittyPicture: Sendable, Hashable {
  /// In pixels.
  package let width: Int
  package let height: Int
  /// What the protocol has to be told of the data.
  let format: String
  /// In base64.
  let data: [UInt8]

  /// A PNG as it is; nil where it does not say how large it is.
  package init?(png bytes: [UInt8]) {
    guard bytes.count >= 24 else { return nil }
    width = bytes[16..<20].reduce(0) { $0 << 8 | Int($1) }
    height = bytes[20..<24].reduce(0) { $0 << 8 | Int($1) }
    guard width > 0, height > 0 else { return nil }
    format = "f=100"
    data = Array(Base64.encode(bytes).utf8)
  }

  /// The picture in what another program wrote to show it by this protocol; nil where there is none.
  package init?(shownBy output: [UInt8]) {
    var keys: [String: String] = [:]
    var data: [UInt8] = []
    for command in output.split(separator: 0x1B) where command.starts(with: "_G".utf8) {
      let body = command.dropFirst(2)
      let head = body.prefix { $0 != UInt8(ascii: ";") }
      for key in head.split(separator: UInt8(ascii: ",")) {
        let parts = String(decoding: key, as: UTF8.self).split(separator: "=", maxSplits: 1)
        if parts.count == 2, keys[String(parts[0])] == nil { keys[String(parts[0])] = String(parts[1]) }
      }
      data += body[head.endIndex...].dropFirst().filter { Self.digits.contains($0) }
    }
    guard let format = keys["f"].flatMap({ Int($0) }), [24, 32].contains(format), let width = keys["s"].flatMap({ Int($0) }),
      let height = keys["v"].flatMap({ Int($0) }), 1...10_000 ~= width, 1...10_000 ~= height, keys["o"] == nil
    else { return nil }
    (self.width, self.height, self.data) = (width, height, data)
    self.format = "f=\(format),s=\(width),v=\(height)"
  }

  private static let digits = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=".utf8)

  /// How many columns and rows it takes at most `columns` by `rows`, in its own shape, on a terminal of that size.
  package func extent(_ columns: Int, _ rows: Int, on size: TerminalSize) -> (columns: Int, rows: Int) {
    // A terminal that does not say has cells twice as high as they are wide, near enough.
    let known = size.width > 0 && size.height > 0
    let cell = known ? (Double(size.width) / Double(size.columns), Double(size.height) / Double(size.rows)) : (1, 2)
    let scale = min(Double(columns) * cell.0 / Double(width), Double(rows) * cell.1 / Double(height))
    func count(_ pixels: Int, _ each: Double, _ most: Int) -> Int {
      max(1, min(most, Int((Double(pixels) * scale / each).rounded())))
    }
    return (count(width, cell.0, columns), count(height, cell.1, rows))
  }
}

/// The one picture that a terminal shows over the cells of a screen, by kitty's protocol: each is sent once, and shown where it is wanted.
package struct KittyPlane: Sendable {
  /// A picture somewhere on the screen.
  package struct Placement: Sendable, Hashable {
    var picture: KittyPicture
    var column: Int
    var row: Int
    var columns: Int
    var rows: Int

    package init(_ picture: KittyPicture, at place: Screen.Point, columns: Int, rows: Int) {
      (self.picture, column, row) = (picture, place.column, place.row)
      (self.columns, self.rows) = (columns, rows)
    }
  }

  /// What the terminal has, the one that was shown last at the end.
  private var sent: [(number: Int, picture: KittyPicture)] = []
  private var shown: Placement?
  private var nextNumber = 1

  /// The most that a terminal is given to keep.
  private static let mostSent = 8

  package init() {}

  /// What makes the terminal forget all it keeps: its screen is cleared, and it differs between terminals what remains then.
  package mutating func clear() -> [UInt8] {
    defer { (sent, shown) = ([], nil) }
    return sent.flatMap { Self.command("a=d,d=I,i=\($0.number)") }
  }

  /// What makes the terminal show that and nothing else; nothing where it does already.
  package mutating func show(_ placement: Placement?) -> [UInt8] {
    guard placement != shown else { return [] }
    var bytes: [UInt8] = []
    if shown != nil, let last = sent.last { bytes += Self.command("a=d,d=i,i=\(last.number)") }
    shown = placement
    guard let placement else { return bytes }
    if let index = sent.firstIndex(where: { $0.picture == placement.picture }) {
      sent.append(sent.remove(at: index))
    } else {
      if sent.count == Self.mostSent { bytes += Self.command("a=d,d=I,i=\(sent.removeFirst().number)") }
      sent.append((nextNumber, placement.picture))
      bytes += KittyGraphics.commands("a=t,\(placement.picture.format),i=\(nextNumber)", placement.picture.data)
      nextNumber += 1
    }
    // The cursor is put back where the frame left it.
    bytes += "\u{1B}7\u{1B}[\(placement.row + 1);\(placement.column + 1)H".utf8
    bytes += Self.command("a=p,i=\(sent.last?.number ?? 0),p=1,c=\(placement.columns),r=\(placement.rows),C=1")
    bytes += "\u{1B}8".utf8
    return bytes
  }

  /// Takes away what the terminal keeps.
  static let endSequence: StaticString = "\u{1B}_Ga=d,d=A,q=2\u{1B}\\"

  private static func command(_ keys: String) -> [UInt8] { Array("\u{1B}_G\(keys),q=2\u{1B}\\".utf8) }
}
