/// Removes the known secrets from everything that a service, or a proxy, returns, before it is read.
struct Redaction: Middleware {
  let known: KnownSecrets

  func send(_ request: HTTPRequest, through next: any Transport) async throws -> HTTPResponse {
    do {
      var response = try await next.send(request)
      if let scrubber = scrubber(for: request) { response.scrub(scrubber) }
      return response
    } catch let error as SourceError {
      throw scrubber(for: request).map(error.scrubbed) ?? error
    }
  }

  private func scrubber(for request: HTTPRequest) -> Scrubber? {
    let own = request.hidden.filter { !known.all.contains($0) }
    return own.isEmpty ? known.scrubber : Scrubber(known.all.union(own))
  }
}

extension HTTPResponse {
  fileprivate mutating func scrub(_ scrubber: Scrubber) {
    body = scrubber.ofAnswers.scrub(body)
    for index in headers.indices where scrubber.finds(in: headers[index].value) {
      if headers[index].name.lowercased() == "location", target == nil { target = Secret(headers[index].value) }
      headers[index].value = scrubber.scrub(headers[index].value)
    }
  }
}

extension SourceError {
  fileprivate func scrubbed(_ scrubber: Scrubber) -> SourceError {
    copy(of: self) { error in
      error.message = scrubber.scrub(message)
      error.remedy = remedy?.rewording { scrubber.scrub($0) }
      error.others = others.map { $0.scrubbed(scrubber) }
    }
  }
}
