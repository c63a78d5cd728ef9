/// Where an answer has a number: that of all rows, that of all pages.
public enum NumberPlace<Path: Sendable & Hashable>: Sendable, Hashable {
  /// In the document, at that path.
  case body(Path)
  /// In the header of that name.
  case header(String)
}

extension NumberPlace {
  /// The same place by another kind of path; nil where that cannot lead there.
  package func by<Other>(_ path: (Path) -> Other?) -> NumberPlace<Other>? {
    switch self {
    case .body(let own): path(own).map { .body($0) }
    case .header(let name): .header(name)
    }
  }
}

extension NumberPlace<ValuePath> {
  /// As a manifest says it: `meta.total`, `header X-Total`.
  package var text: String {
    switch self {
    case .body(let path): path.text
    case .header(let name): "header \(name)"
    }
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
public struct MorePlace<Path: Sendable & Hashable>: Sendable, Hashable {
  /// Where in the document it stands.
  public let path: Path
  /// True when it says the contrary: that this was the last page.
  public let isContrary: Bool

  /// What stands at `path`.
  public init(path: Path, isContrary: Bool = false) { (self.path, self.isContrary) = (path, isContrary) }
}

extension MorePlace<ValuePath> {
  /// As a manifest says it: `has_more`, `not is_last`.
  package var text: String { "\(isContrary ? "not " : "")\(path.text)" }
}

extension MorePlace: CustomStringConvertible {
  public var description: String { "\(path)\(isContrary ? ", true on the last page" : "")" }
}
