import AggregatorCore
import CCurl

/// The way to libcurl: a value, so that a test can bar it.
struct Library: Sendable {
  /// Opens it, or says why it cannot be.
  var open: @Sendable () throws(SourceError) -> Void

  static let shared = Library { () throws(SourceError) in
    // The text is a literal in the C target, and never freed.
    if let problem = ccurl_open() { throw missing(String(cString: problem)) }
  }

  static func missing(_ problem: String) -> SourceError {
    #if os(Linux)
      SourceError(.noTransport, problem, remedy: problem.hasSuffix("not installed") ? "type apt-get install libcurl4" : nil)
    #else
      SourceError(.noTransport, problem)
    #endif
  }
}
