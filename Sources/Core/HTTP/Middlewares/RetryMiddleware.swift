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
    let attempts = Attempts.current ?? Attempts()
    while true {
      let result = await Result { try await Attempts.$current.withValue(attempts) { try await next.send(request) } }
      if !request.isRepeatable { attempts.allowNoMore() }
      if let trouble = trouble(in: result), try await patience.pause(after: trouble, of: attempts, clock: clock, dice: dice) { continue }
      do {
        var response = try result.get()
        response.attempts = attempts.count
        return response
      } catch var error as SourceError {
        error.attempts = attempts.count
        throw error
      }
    }
  }

  /// Why the result may not stand.
  private func trouble(in result: Result<HTTPResponse, any Error>) -> SourceError? {
    switch result {
    case .success(let response): response.trouble(at: clock.now)
    case .failure(let error): error as? SourceError
    }
  }
}

extension Result where Failure == any Error {
  package init(_ work: () async throws -> Success) async {
    do { self = .success(try await work()) } catch { self = .failure(error) }
  }
}
