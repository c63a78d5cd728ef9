public import AggregatorCore

/// The place of a number in an answer, such as the total of rows or of pages.
public enum NumberPlace: Sendable, Hashable {
  /// In the document, at this path.
  case body(ValuePath)
  /// In the header with this name.
  case header(String)
}

extension NumberPlace {
  /// The place as a manifest writes it: `meta.total`, `header X-Total`.
  package var text: String {
    switch self {
    case .body(let path): path.text
    case .header(let name): "header \(name)"
    }
  }
}

extension HTTPResponse {
  /// Returns the number in a header. For `Content-Range: items 0-19/57` it is the total of rows.
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

/// The place of the flag that says whether there is more.
public struct MorePlace: Sendable, Hashable {
  /// The path of the flag in the document.
  public let path: ValuePath
  /// True when the flag means the contrary: that this is the last page.
  public let isContrary: Bool

  /// The flag at `path`.
  public init(path: ValuePath, isContrary: Bool = false) { (self.path, self.isContrary) = (path, isContrary) }

  /// The place as a manifest writes it: `has_more`, `not is_last`.
  package var text: String { "\(isContrary ? "not " : "")\(path.text)" }
}

extension MorePlace: CustomStringConvertible {
  public var description: String { "\(path)\(isContrary ? ", true on the last page" : "")" }
}
