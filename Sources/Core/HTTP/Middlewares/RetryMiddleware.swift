/// Sends a request again while the service falters, as patience allows; only what is safe to repeat.
public struct RetryMiddleware: Middleware {
  let patience: Patience
  let clock: any Timekeeper
  let dice: any Dice

  public init(_ patience: Patience = .usual, clock: any Timekeeper = SystemTime(), dice: any Dice = SystemDice()) {
    self.patience = patience
    self.clock = clock
    self.dice = dice
  }

  public func send(_ request: HTTPRequest, through next: any Transport) async throws -> HTTPResponse {
    var attempt = 1
    while true {
      let result = await Result { try await next.send(request) }
      guard request.isRepeatable, let trouble = trouble(in: result),
        let wait = patience.wait(after: attempt, retryAfter: trouble.retryAfter, dice: dice)
      else { return try noted(result, attempt, mayRepeat: request.isRepeatable) }
      try await patience.pause(for: wait, because: trouble.message, on: clock)
      attempt += 1
    }
  }

  /// What may pass; nil when the result stands.
  private func trouble(in result: Result<HTTPResponse, any Error>) -> SourceError? {
    switch result {
    case .success(let response):
      return response.trouble(at: clock.now).flatMap { $0.kind.isTransient ? $0 : nil }
    case .failure(let error as SourceError): return error.kind.isTransient ? error : nil
    case .failure: return nil
    }
  }

  /// The result, with what the layers above must know before they try again.
  private func noted(_ result: Result<HTTPResponse, any Error>, _ attempts: Int, mayRepeat: Bool) throws -> HTTPResponse {
    do {
      var response = try result.get()
      response.attempts = attempts
      response.mayRepeat = mayRepeat
      return response
    } catch var error as SourceError {
      error.attempts = attempts
      error.mayRepeat = mayRepeat
      throw error
    }
  }
}

extension Result where Failure == any Error {
  package init(_ work: () async throws -> Success) async {
    do { self = .success(try await work()) } catch { self = .failure(error) }
  }
}
