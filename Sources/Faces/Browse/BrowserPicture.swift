package import AggregatorCore
import Feed
package import Terminal

/// A picture to show, and the greatest number of columns and rows that it may take.
package struct PictureRequest: Sendable, Hashable {
  package let address: WebAddress
  package let columns: Int
  package let rows: Int
}

/// A picture in a form that this terminal can show.
package enum DrawnPicture: Sendable, Hashable {
  case characters(CharacterPicture)
  /// The terminal draws it by itself, over this number of cells.
  case pixels(KittyPicture, columns: Int, rows: Int)

  var rows: Int {
    switch self {
    case .characters(let picture): picture.rows
    case .pixels(_, _, let rows): rows
    }
  }
}

/// A function that loads pictures and draws them for this terminal.
package typealias PictureDrawing = @Sendable (PictureRequest) async throws -> DrawnPicture

/// The pictures of a browser: the wanted one, and the latest ones that came.
struct BrowserPictures: Sendable {
  var isOn = true
  /// The picture that belongs to what is shown.
  private(set) var wanted: PictureRequest?
  /// The latest results. A failure is only remembered for the wanted picture.
  private var results: [(request: PictureRequest, result: Result<DrawnPicture, SourceError>)] = []
  /// True when the last wanted picture came, so that room is kept for the next one.
  private var isExpected = false

  private static let most = 16

  /// Changes the wanted picture. Returns true if it is another one than before.
  mutating func want(_ request: PictureRequest?) -> Bool {
    guard request != wanted else { return false }
    forgetFailures()
    wanted = request
    return true
  }

  /// The result for the wanted picture; nil until it has come.
  private var result: Result<DrawnPicture, SourceError>? { results.first { $0.request == wanted }?.result }

  var isWaiting: Bool { wanted != nil && result == nil }

  /// The picture that is shown.
  var shown: DrawnPicture? { try? result?.get() }

  /// The error to show in its place; nil if the picture is merely not stored, which a person who works offline expects.
  var trouble: String? {
    if case .failure(let error)? = result, error.kind != .notStored { error.message } else { nil }
  }

  mutating func take(_ result: Result<DrawnPicture, SourceError>, for request: PictureRequest) {
    results = results.filter { $0.request != request }.suffix(Self.most - 1) + [(request, result)]
    if request == wanted { isExpected = shown != nil }
  }

  /// Forgets failures, so that those pictures are wanted again.
  mutating func forgetFailures() {
    if case .failure? = result { wanted = nil }
    results.removeAll { if case .failure = $0.result { true } else { false } }
  }

  /// The number of lines that it takes above the record, including the empty line below it.
  var height: Int {
    if let shown { return shown.rows + 1 }
    return isExpected && isWaiting ? (wanted?.rows ?? 0) + 1 : 0
  }
}

extension Browser {
  /// The greatest size of a picture. With a larger one, a frame would be too long for a slow line.
  static let largestPicture = (columns: 36, rows: 12)
  private static let smallestPicture = (columns: 8, rows: 4)

  /// The picture of the record that is shown in full or beside the list; nil if the record has none, or if it does not fit.
  private var wantedPicture: PictureRequest? {
    guard look.hasPictures, pictures.isOn, !isTooSmall, let area = recordArea, !hidesRecord else { return nil }
    let address = record?.look.picture ?? (isOfList ? tab.record?.look.picture : nil)
    let (columns, rows) = (min(Self.largestPicture.columns, area.width), min(Self.largestPicture.rows, area.height / 2))
    guard let address, columns >= Self.smallestPicture.columns, rows >= Self.smallestPicture.rows else { return nil }
    return PictureRequest(address: address, columns: columns, rows: rows)
  }

  /// True while the help or a list to choose from covers the record.
  private var hidesRecord: Bool { [.help, .sources, .columns].contains(mode) }

  /// The area of a record in full; nil if only the list is shown.
  var recordArea: Area? { layout.record ?? (mode == .record ? layout.list : nil) }

  /// True when the record has a picture that can be shown or hidden.
  var hasPictures: Bool { look.hasPictures && record?.look.picture != nil }

  mutating func updatePicture() -> [BrowserAction] {
    guard look.hasPictures, pictures.want(wantedPicture) else { return [] }
    return [.picture(pictures.isWaiting ? pictures.wanted : nil)]
  }

  /// Takes a picture that was drawn, or the error with which that failed.
  package mutating func show(_ picture: Result<DrawnPicture, SourceError>, for request: PictureRequest) -> [BrowserAction] {
    pictures.take(picture, for: request)
    return scrollToSelection()
  }

  /// The picture that the terminal draws by itself, if all of it is on the screen.
  package var placement: KittyPlane.Placement? {
    guard case .pixels(let picture, let columns, let rows)? = pictures.shown, let area = recordArea, !hidesRecord,
      recordTop == 0
    else {
      return nil
    }
    return KittyPlane.Placement(picture, at: (area.column, area.row), columns: columns, rows: rows)
  }
}
