extension Client {
  /// A successful answer; any other status is the error that HTTP means by it.
  public func answer(to request: HTTPRequest) async throws -> HTTPResponse {
    let response = try await send(request)
    if let trouble = trouble(in: response) { throw trouble }
    return response
  }

  /// The JSON of a successful answer.
  public func json(_ request: HTTPRequest) async throws -> JSON { try await answer(to: request).json() }

  /// The JSON of a successful answer to a `GET`; any other status is the error that HTTP means by it.
  public func json(_ path: String = "", _ query: KeyValuePairs<String, HTTPRequest.Part> = [:]) async throws -> JSON {
    try await json(request(.get, path, query))
  }

  /// The JSON of a successful answer to a `POST` of a JSON body, which is sent once unless it may be repeated.
  public func json(_ path: String = "", posting body: Value, isRepeatable: Bool = false) async throws -> JSON {
    try await json(request(.post, path, isRepeatable: isRepeatable).carrying(body))
  }
}

extension HTTPRequest {
  /// This request with a JSON body.
  public func carrying(_ body: Value) -> HTTPRequest {
    var (request, writer) = (self, JSONWriter())
    writer.write(body)
    request.body = writer.bytes
    request.headers.append(Item("Content-Type", "application/json"))
    return request
  }
}
