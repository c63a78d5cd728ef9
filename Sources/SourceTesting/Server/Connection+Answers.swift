/// Answers, whole and broken. `status` is what follows the version, headers end in `\r\n` each.
extension StandInServer.Connection {
  /// An answer with its length.
  public func answer(status: String = "200 OK", headers: String = "", bytes: [UInt8]) {
    send(head(status, "Content-Length: \(bytes.count)\r\n" + headers) + bytes)
  }

  public func answer(status: String = "200 OK", headers: String = "", _ body: String = "") {
    answer(status: status, headers: headers, bytes: Array(body.utf8))
  }

  /// An answer in pieces, each sent once `turnstile` lets it pass.
  public func answer(status: String = "200 OK", headers: String = "", chunks: [[UInt8]], through turnstile: Turnstile? = nil) {
    send(head(status, "Transfer-Encoding: chunked\r\n" + headers))
    for chunk in chunks where !chunk.isEmpty {
      turnstile?.pass()
      send(Array("\(String(chunk.count, radix: 16))\r\n".utf8) + chunk + Array("\r\n".utf8))
    }
    turnstile?.pass()
    send("0\r\n\r\n")
  }

  /// An answer sent a byte at a time, each once `turnstile` lets it pass.
  public func answer(status: String = "200 OK", headers: String = "", dripping bytes: [UInt8], through turnstile: Turnstile) {
    send(head(status, "Content-Length: \(bytes.count)\r\n" + headers))
    for byte in bytes {
      turnstile.pass()
      send([byte])
    }
  }

  /// An answer that announces all and sends the first `count` bytes. Return from the script then: the connection is cut.
  public func answer(status: String = "200 OK", headers: String = "", cutting bytes: [UInt8], after count: Int) {
    send(head(status, "Content-Length: \(bytes.count)\r\n" + headers) + bytes.prefix(count))
  }

  private func head(_ status: String, _ headers: String) -> [UInt8] { Array("HTTP/1.1 \(status)\r\n\(headers)\r\n".utf8) }
}
