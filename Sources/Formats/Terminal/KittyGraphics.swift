import Platform

/// The part of kitty's graphics protocol that shows pictures.
package enum KittyGraphics {
  /// True when the terminal knows the protocol. A multiplexer in between does not pass it on.
  package static func isSpoken(in environment: [String: String]) -> Bool {
    let terminal = environment["TERM"] ?? ""
    if FullScreen.isMultiplexed(environment) || terminal.hasPrefix("screen") || terminal.hasPrefix("tmux") { return false }
    return !(environment["KITTY_WINDOW_ID"] ?? "").isEmpty || terminal == "xterm-kitty" || terminal == "xterm-ghostty"
      || ["ghostty", "wezterm"].contains((environment["TERM_PROGRAM"] ?? "").lowercased())
  }

  /// Returns the sequence that shows `picture` at the cursor, no larger than the terminal.
  package static func sequence(showing picture: KittyPicture, on size: TerminalSize) -> [UInt8] {
    commands("a=T,\(picture.format)\(bound(of: picture, on: size))", picture.data)
  }

  /// Returns a command in as many pieces as its payload needs.
  static func commands(_ keys: String, _ payload: [UInt8]) -> [UInt8] {
    let pieces = stride(from: 0, to: max(1, payload.count), by: mostBytes).map {
      payload[$0..<min($0 + mostBytes, payload.count)]
    }
    var sequence: [UInt8] = []
    for (index, piece) in pieces.enumerated() {
      // q=2 in every piece, because an answer would come as if it had been typed.
      sequence += "\u{1B}_G\(index == 0 ? keys + "," : "")q=2,m=\(index == pieces.count - 1 ? 0 : 1);".utf8
      sequence += piece
      sequence += "\u{1B}\\".utf8
    }
    return sequence
  }

  /// The greatest number of bytes in one command, a multiple of four.
  private static let mostBytes = 4096

  /// Returns the limit on columns or rows, if the picture is larger than the terminal; the terminal keeps the picture's shape.
  private static func bound(of picture: KittyPicture, on size: TerminalSize) -> String {
    guard size.width > 0, size.height > 0 else { return "" }
    let share = (width: Double(picture.width) / Double(size.width), height: Double(picture.height) / Double(size.height))
    if max(share.width, share.height) <= 1 { return "" }
    return share.width > share.height ? ",c=\(size.columns)" : ",r=\(max(1, size.rows - 1))"
  }
}

/// A picture in the form in which kitty's graphics protocol carries it.
package struct KittyPicture: Sendable, Hashable {
  /// The size in pixels.
  package let width: Int
  package let height: Int
  /// The parameters that tell the protocol what the data are.
  let format: String
  /// The data in base64.
  let data: [UInt8]

  /// A PNG as it is; nil if it does not tell its size.
  package init?(png bytes: [UInt8]) {
    guard bytes.count >= 24 else { return nil }
    width = bytes[16..<20].reduce(0) { $0 << 8 | Int($1) }
    height = bytes[20..<24].reduce(0) { $0 << 8 | Int($1) }
    guard width > 0, height > 0 else { return nil }
    format = "f=100"
    data = Array(Base64.encode(bytes).utf8)
  }

  /// Reads the picture from the output of another program that shows it by this protocol; nil if the output has none.
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

  /// Returns the columns and rows that the picture takes within `columns` by `rows`, in its own shape, on a terminal of that size.
  package func extent(_ columns: Int, _ rows: Int, on size: TerminalSize) -> (columns: Int, rows: Int) {
    // If a terminal does not tell, its cells are taken to be twice as high as they are wide.
    let known = size.width > 0 && size.height > 0
    let cell = known ? (Double(size.width) / Double(size.columns), Double(size.height) / Double(size.rows)) : (1, 2)
    let scale = min(Double(columns) * cell.0 / Double(width), Double(rows) * cell.1 / Double(height))
    func count(_ pixels: Int, _ each: Double, _ most: Int) -> Int {
      max(1, min(most, Int((Double(pixels) * scale / each).rounded())))
    }
    return (count(width, cell.0, columns), count(height, cell.1, rows))
  }
}

/// The one picture that a terminal shows over the cells of a screen, by kitty's protocol. Each picture is sent
/// once, and shown where it is wanted.
package struct KittyPlane: Sendable {
  /// A picture at a point of the screen.
  package struct Placement: Sendable, Hashable {
    var picture: KittyPicture
    var column: Int
    var row: Int
    var columns: Int
    var rows: Int

    package init(_ picture: KittyPicture, at point: Screen.Point, columns: Int, rows: Int) {
      (self.picture, column, row) = (picture, point.column, point.row)
      (self.columns, self.rows) = (columns, rows)
    }
  }

  /// The pictures that the terminal has; the latest one is at the end.
  private var sent: [(number: Int, picture: KittyPicture)] = []
  private var shown: Placement?
  private var nextNumber = 1

  /// The greatest number of pictures that a terminal has to keep.
  private static let mostSent = 8

  package init() {}

  /// Returns the sequence that makes the terminal drop all pictures. It is sent when the screen is cleared, because terminals differ
  /// in which pictures remain then.
  package mutating func clear() -> [UInt8] {
    defer { (sent, shown) = ([], nil) }
    return sent.flatMap { Self.command("a=d,d=I,i=\($0.number)") }
  }

  /// Returns the sequence that makes the terminal show only that picture; empty if it already does.
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
    // The cursor returns to where the frame left it.
    bytes += "\u{1B}7\u{1B}[\(placement.row + 1);\(placement.column + 1)H".utf8
    bytes += Self.command("a=p,i=\(sent.last?.number ?? 0),p=1,c=\(placement.columns),r=\(placement.rows),C=1")
    bytes += "\u{1B}8".utf8
    return bytes
  }

  /// Removes all pictures that the terminal keeps.
  static let endSequence: StaticString = "\u{1B}_Ga=d,d=A,q=2\u{1B}\\"

  private static func command(_ keys: String) -> [UInt8] { Array("\u{1B}_G\(keys),q=2\u{1B}\\".utf8) }
}
