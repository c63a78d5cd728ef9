public import AggregatorCore

/// Something read out of recorded exchanges, how sure that is, and why.
public struct Guess<Content: Sendable & Hashable>: Sendable, Hashable {
  public let value: Content
  public let confidence: Confidence
  /// A clause for a person: "the recorded walk followed it".
  public let reason: String

  public init(_ value: Content, _ confidence: Confidence, _ reason: String) {
    self.value = value
    self.confidence = confidence
    self.reason = reason
  }
}

/// How sure a guess is.
public enum Confidence: Sendable, Hashable, Comparable {
  /// It has the right name or the right look, and nothing more.
  case weak
  /// What was recorded agrees with it.
  case fair
  /// What was recorded can hardly be explained otherwise.
  case strong
}

extension Guess: CustomStringConvertible {
  /// `offset by query "skip" (weak: only one page was recorded)`.
  public var description: String { "\(value) (\(confidence): \(reason))" }
}

/// How one page of a list leads to the next.
public enum PagingModel: Sendable, Hashable {
  /// One answer holds everything.
  case whole
  /// So many rows are skipped.
  case offset(Parameter)
  /// Pages are numbered.
  case number(Parameter, first: Int)
  /// The body holds the address of the next page.
  case nextAddress(FieldPath)
  /// A `Link` header with `rel="next"` does (RFC 8288).
  case link
  /// The body holds a token that goes into the next request.
  case token(FieldPath, Parameter)
  /// What stands at this path in the last row goes into the next request.
  case keyset(FieldPath, Parameter)
}

extension PagingModel: CustomStringConvertible {
  public var description: String {
    switch self {
    case .whole: "everything in one answer"
    case .offset(let parameter): "offset by \(parameter)"
    case .number(let parameter, let first): "page number by \(parameter), from \(first)"
    case .nextAddress(let path): "the next page's address at \(path)"
    case .link: "a Link header to the next page"
    case .token(let path, let parameter): "a token at \(path) into \(parameter)"
    case .keyset(let path, let parameter): "\(path) of the last row into \(parameter)"
    }
  }
}

extension PagingModel {
  /// The parameter that changes from page to page, where one does.
  public var parameter: Parameter? {
    switch self {
    case .offset(let parameter), .number(let parameter, _), .token(_, let parameter), .keyset(_, let parameter): parameter
    case .whole, .nextAddress, .link: nil
    }
  }

  /// Whether each page has the address of the next.
  package var isAddress: Bool {
    switch self {
    case .nextAddress, .link: true
    case .whole, .offset, .number, .token, .keyset: false
    }
  }

  package var isToken: Bool { if case .token = self { true } else { false } }

  /// Whether an answer says how to go on.
  var isNamed: Bool { isAddress || isToken }
}

/// Where the number of all rows stands.
public enum TotalModel: Sendable, Hashable {
  case body(FieldPath)
  case header(String)
}

extension TotalModel: CustomStringConvertible {
  public var description: String {
    switch self {
    case .body(let path): "\(path)"
    case .header(let name): "the header \(name)"
    }
  }
}

/// Where an answer says whether there is more.
public struct MoreModel: Sendable, Hashable {
  public let path: FieldPath
  /// Whether it says the contrary: that this was the last page.
  public let isContrary: Bool
}

extension MoreModel: CustomStringConvertible {
  public var description: String { "\(path)\(isContrary ? ", true on the last page" : "")" }
}
