package import AggregatorCore
import Synchronization

/// Adds the token of a login to each request. If the service refuses it, it is renewed and the request is sent again. A token that came in
/// place of a refused one and is refused before it was ever taken is not renewed again.
package struct TokenMiddleware: Middleware {
  /// The part of a request that has the token.
  package enum Carrier: Sendable, Hashable {
    case header(String, scheme: String?)
    case query(String)
  }

  private let keeper: LoginKeeper
  private let carrier: Carrier
  /// The token that came in place of a refused one, until the service takes it. If it is refused too, a further one would be.
  private let latest = Latest()

  private final class Latest: Sendable {
    let token = Mutex<Secret?>(nil)
  }

  package init(_ keeper: LoginKeeper, _ carrier: Carrier) { (self.keeper, self.carrier) = (keeper, carrier) }

  package func send(_ request: HTTPRequest, through next: any Transport) async throws -> HTTPResponse {
    guard request.address.origin == keeper.login.service else { return try await next.send(request) }
    let token = try await keeper.token()
    let response = try await next.send(carrying(token, request))
    guard response.status == 401, latest.token.withLock({ $0 != token }) else { return noting(response, to: token) }
    let renewed = try await keeper.token(insteadOf: token)
    latest.token.withLock { $0 = renewed }
    return try await noting(next.send(carrying(renewed, request)), to: renewed)
  }

  /// Notes that the service takes the token, if it does, so that the token may be renewed once it has ended.
  private func noting(_ response: HTTPResponse, to token: Secret) -> HTTPResponse {
    if response.status != 401 { latest.token.withLock { if $0 == token { $0 = nil } } }
    return response
  }

  private func carrying(_ token: Secret, _ request: HTTPRequest) -> HTTPRequest {
    copy(of: request) { request in
      switch carrier {
      case .header(let name, let scheme?): request.headers.append(.init(name, .key(token, scheme: scheme)))
      case .header(let name, nil): request.headers.append(.init(name, .secret(token)))
      case .query(let name): request.query.append(.init(name, .secret(token)))
      }
      if let refresh = keeper.refresh { request.echoes.append(refresh) }
    }
  }
}
