/// Where bytes go: a stream, a file, an answer over HTTP, a test's array.
package protocol Sink: Sendable {
  func write(_ bytes: [UInt8]) throws
}

extension Sink {
  package func write(_ text: String) throws { try write(Array(text.utf8)) }
}
