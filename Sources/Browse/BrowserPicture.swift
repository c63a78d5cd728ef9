package import AggregatorCore
import Feed
package import Terminal

/// A picture, and the most columns and rows that it may take.
package struct PictureRequest: Sendable, Hashable {
  package let address: WebAddress
  package let columns: Int
  package let rows: Int
}

/// A picture as this terminal can show it.
package enum DrawnPicture: Sendable, Hashable {
  case characters(CharacterPicture)
  /// The terminal itself shows it, over so many cells.
  case pixels(KittyPicture, columns: Int, rows: Int)

  var rows: Int {
    switch self {
    case .characters(let picture): picture.rows
    case .pixels(_, _, let rows): rows
    }
  }
}

/// What brings pictures and draws them for this terminal.
package typealias PictureDrawing = @Sendable (PictureRequest) async throws -> DrawnPicture

/// The pictures of a browser: which one is wanted, and those that came.
struct BrowserPictures: Sendable {
  var isOn = true
  /// The one that belongs to what is shown.
  private(set) var wanted: PictureRequest?
  /// What became of the last ones; of those that failed only of the one that is wanted.
  private var results: [(request: PictureRequest, result: Result<DrawnPicture, SourceError>)] = []
  /// Whether the last one that was wanted came: then room is kept for the next.
  private var isExpected = false

  private static let most = 16

  /// True where something has to be done about it.
  mutating func want(_ request: PictureRequest?) -> Bool {
    guard request != wanted else { return false }
    forgetFailures()
    wanted = request
    return true
  }

  /// What became of the one that is wanted; nil while it is not there.
  private var result: Result<DrawnPicture, SourceError>? { results.first { $0.request == wanted }?.result }

  var isWaiting: Bool { wanted != nil && result == nil }

  /// The one that is shown.
  var shown: DrawnPicture? { try? result?.get() }

  /// What is said in its place. Whoever works offline knows that nothing is downloaded.
  var trouble: String? {
    if case .failure(let error)? = result, error.kind != .notStored { error.message } else { nil }
  }

  mutating func take(_ result: Result<DrawnPicture, SourceError>, for request: PictureRequest) {
    results = results.filter { $0.request != request }.suffix(Self.most - 1) + [(request, result)]
    if request == wanted { isExpected = shown != nil }
  }

  /// What could not be brought is wanted again.
  mutating func forgetFailures() {
    if case .failure? = result { wanted = nil }
    results.removeAll { if case .failure = $0.result { true } else { false } }
  }

  /// How many lines it takes above the record, the one below it included.
  var height: Int {
    if let shown { return shown.rows + 1 }
    return isExpected && isWaiting ? (wanted?.rows ?? 0) + 1 : 0
  }
}

extension Browser {
  /// Larger than this a picture would make more of a frame than a slow line takes at once.
  static let largestPicture = (columns: 36, rows: 12)
  private static let smallestPicture = (columns: 8, rows: 4)

  /// The picture of the record that is shown in full or beside the list; nil where there is none, or no room for one.
  private var wantedPicture: PictureRequest? {
    guard look.hasPictures, pictures.isOn, !isTooSmall, let area = recordArea, !hidesRecord else { return nil }
    let address = (mode == .record ? listing.detail?.item?.look.picture : nil) ?? tab.record?.look.picture
    let (columns, rows) = (min(Self.largestPicture.columns, area.width), min(Self.largestPicture.rows, area.height / 2))
    guard let address, columns >= Self.smallestPicture.columns, rows >= Self.smallestPicture.rows else { return nil }
    return PictureRequest(address: address, columns: columns, rows: rows)
  }

  /// True while the help or the list of sources stands in front of the record.
  private var hidesRecord: Bool { mode == .help || mode == .sources }

  /// Where a record stands in full; nil where only the list is shown.
  var recordArea: Area? { layout.record ?? (mode == .record ? layout.list : nil) }

  /// Whether there are pictures to show or to hide.
  var hasPictures: Bool { look.hasPictures && tab.record?.look.picture != nil }

  mutating func updatePicture() -> [BrowserAction] {
    guard look.hasPictures, pictures.want(wantedPicture) else { return [] }
    return [.picture(pictures.isWaiting ? pictures.wanted : nil)]
  }

  /// A picture was drawn, or could not be.
  package mutating func show(_ picture: Result<DrawnPicture, SourceError>, for request: PictureRequest) -> [BrowserAction] {
    pictures.take(picture, for: request)
    return scrollToSelection()
  }

  /// The picture that the terminal itself shows, where it is on the screen as a whole.
  package var placement: KittyPlane.Placement? {
    guard case .pixels(let picture, let columns, let rows)? = pictures.shown, let area = recordArea, !hidesRecord,
      recordTop == 0
    else {
      return nil
    }
    return KittyPlane.Placement(picture, at: (area.column, area.row), columns: columns, rows: rows)
  }
}
