/// Follows at most five redirects, and sends neither a secret nor a person's setting to another origin.
///
/// The query of the new address is the service's own; nothing is added to it.
public struct RedirectMiddleware: Middleware {
  private static let most = 5

  /// A middleware for a transport, which follows no redirects itself.
  public init() {}

  public func send(_ request: HTTPRequest, through next: any Transport) async throws -> HTTPResponse {
    let asked = request.address.origin
    var (request, isMasked) = (request, false)
    for turn in 0...Self.most {
      var response: HTTPResponse
      do {
        response = try await next.send(request)
      } catch let error as SourceError where error.kind == .badRequest && turn > 0 {
        // If the transport cannot use the address of a redirect, the service is at fault, not the caller.
        throw Self.nowhere
      }
      guard [301, 302, 303, 307, 308].contains(response.status),
        let location = response.target?.reveal() ?? response[header: "Location"]
      else {
        let origin = request.address.origin
        if origin.host != asked.host { response.detour = HTTPResponse.Detour(from: asked, to: isMasked ? nil : origin) }
        return response
      }
      isMasked = isMasked || response.target != nil
      request = try redirected(request, status: response.status, to: location)
    }
    throw SourceError(.malformed, "the service redirected more than \(Self.most) times")
  }

  private static let nowhere = SourceError(.malformed, "the service redirects to an invalid address")

  private func redirected(_ request: HTTPRequest, status: Int, to location: String) throws -> HTTPRequest {
    guard let target = request.wireAddress.resolving(location) else { throw Self.nowhere }
    guard target.origin == request.address.origin || !(request.carriesSecret || request.carriesSetting) else {
      // The name of the host may repeat the key too, in lower case.
      let isEcho = Scrubber(request.hidden.map { Secret($0.reveal().lowercased()) }).finds(in: target.origin.description)
      throw SourceError(
        .unsafeRedirect,
        "\(request.address.origin) redirects to \(isEcho ? "another host" : "\(target.origin)"), so "
          + (request.carriesSecret ? "the key was not sent" : "the settings were not sent"),
        remedy: SourceError.howToGetThrough)
    }
    var redirected = request
    (redirected.address, redirected.query) = (target, [])
    redirected.echoes = request.secrets.filter { Scrubber([$0], findingShort: true).finds(in: target.shown) }
    if status == 303 || (request.method == .post && (status == 301 || status == 302)) {
      (redirected.method, redirected.body) = (.get, nil)
    }
    return redirected
  }
}
