public import AggregatorCore

/// Where an answer has a number: that of all rows, that of all pages.
public enum NumberPlace: Sendable, Hashable {
  /// In the document, at that path.
  case body(ValuePath)
  /// In the header of that name.
  case header(String)
}

extension NumberPlace {
  /// As a manifest says it: `meta.total`, `header X-Total`.
  package var text: String {
    switch self {
    case .body(let path): path.text
    case .header(let name): "header \(name)"
    }
  }
}

extension HTTPResponse {
  /// The number in a header; of `Content-Range: items 0-19/57` that of all rows.
  package func number(inHeader name: String) -> Int? {
    guard let text = self[header: name] else { return nil }
    return Int(text.trimmingSpaces) ?? (name.lowercased() == "content-range" ? rowRange?.total : nil)
  }
}

extension NumberPlace: CustomStringConvertible {
  public var description: String {
    switch self {
    case .body(let path): "\(path)"
    case .header(let name): "the header \(name)"
    }
  }
}

/// Where an answer says whether there is more.
public struct MorePlace: Sendable, Hashable {
  /// Where in the document it stands.
  public let path: ValuePath
  /// True when it says the contrary: that this was the last page.
  public let isContrary: Bool

  /// What stands at `path`.
  public init(path: ValuePath, isContrary: Bool = false) { (self.path, self.isContrary) = (path, isContrary) }

  /// As a manifest says it: `has_more`, `not is_last`.
  package var text: String { "\(isContrary ? "not " : "")\(path.text)" }
}

extension MorePlace: CustomStringConvertible {
  public var description: String { "\(path)\(isContrary ? ", true on the last page" : "")" }
}
