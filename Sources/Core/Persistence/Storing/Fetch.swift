/// The request that brought some records: what `why` tells about them.
public struct Fetch: Sendable, Hashable {
  public let at: Moment
  /// What was asked for: `seed=k3x`, or a word such as `import`. It never holds a secret.
  public let request: String
  /// Which part of the answer it was: `page 3`, `offset 200`.
  public let place: String

  public init(at: Moment, request: String, place: String) {
    self.at = at
    self.request = request
    self.place = place
  }
}

extension Fetch {
  /// The request of records that a person brought in a file.
  public static let importing = "import"

  /// The fetch of the page that `cursor` leads to.
  public init(at: Moment, request: String, cursor: Cursor?) {
    self.init(at: at, request: request, place: cursor?.place.text ?? "start")
  }

  /// The fetch of a page, by what its source says with it.
  init<Item>(at: Moment, _ page: Page<Item>, place: Place) {
    let parameters = page.parameters.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    self.init(at: at, request: parameters.isEmpty ? page.maker.name : parameters.joined(separator: "&"), place: place.text)
  }

  /// What the service was asked for by that name.
  package func parameter(_ name: String) -> String? {
    request.split(separator: "&").first { $0.hasPrefix(name + "=") }.map { String($0.dropFirst(name.count + 1)) }
  }
}
