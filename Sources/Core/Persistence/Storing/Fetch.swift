/// The request that brought some records: what `why` tells about them.
public struct Fetch: Sendable, Hashable {
  public let at: Moment
  /// What was asked, in the source's own words: `seed=k3x`, say. It never holds a secret.
  public let question: String
  /// Which part of the answer it was: `page 3`, `offset 200`.
  public let place: String

  public init(at: Moment, question: String, place: String) {
    self.at = at
    self.question = question
    self.place = place
  }
}

extension Fetch {
  /// The question of records that a person brought in a file.
  public static let importing = "import"

  /// The fetch of the page that `cursor` leads to.
  public init(at: Moment, question: String, cursor: Cursor?) {
    self.init(at: at, question: question, place: cursor?.place.text ?? "start")
  }
}
