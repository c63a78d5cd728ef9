/// The one picture that a terminal shows over the cells of a screen, by kitty's protocol: each is sent once, and shown where it is wanted.
package struct KittyPlane: Sendable {
  /// A picture somewhere on the screen.
  package struct Placement: Sendable, Hashable {
    var picture: KittyPicture
    var column: Int
    var row: Int
    var columns: Int
    var rows: Int

    package init(_ picture: KittyPicture, at place: Screen.Place, columns: Int, rows: Int) {
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
