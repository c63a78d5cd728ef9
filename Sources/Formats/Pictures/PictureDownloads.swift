import AggregatorCore

/// Downloads pictures from the hosts that records name. These hosts get no key, and are not trusted.
struct PictureDownloads: Sendable {
  private let transport: any Transport
  private let patience: Patience
  private let clock: any Timekeeper
  private let dice: any Dice
  private let allowance: Duration?
  private let largest: Int
  private let scrubber: Scrubber

  /// Downloads through `world`, with the same patience as for a service.
  init(in world: World, largest: Int) {
    transport = world.transport.through([
      RedirectMiddleware(),
      ReachabilityMiddleware(world.hosts, clock: world.clock),
      EventMiddleware(clock: world.clock),
    ])
    (patience, clock, dice) = (world.patience, world.clock, world.dice)
    allowance = world.allowance
    scrubber = Scrubber(world.settings.secrets, findingShort: true)
    self.largest = largest
  }

  func picture(at address: WebAddress) async throws -> Picture {
    // A service that writes the key into the addresses of its records would make us send it to any host. Such a
    // key may already be masked here.
    guard !scrubber.finds(in: address.shown), !PercentEncoding.decode(address.shown).contains(Secret.mask) else {
      throw SourceError(.unsafeRedirect, "the picture's address on \(address.host) contains the key, so it was not requested")
    }
    do {
      let bytes = try await body(at: address)
      return Picture(bytes: bytes, format: try .reading(bytes))
    } catch let error as SourceError {
      throw about(address, error)
    }
  }

  private func body(at address: WebAddress) async throws -> [UInt8] {
    var request = HTTPRequest(.get, address)
    // Some hosts choose the format by this header.
    request.headers = [.init("Accept", "image/png, image/jpeg, image/gif, image/webp;q=0.9, image/*;q=0.5")]
    request.limits.bodyBytes = largest
    return try await clock.limit(until: allowance.map { clock.now + $0 }) { [request] in
      try await patience.trying(clock: clock, dice: dice) {
        let response = try await transport.send(request)
        if let trouble = response.trouble(at: clock.now) { throw trouble }
        guard response.body.count <= largest else { throw SourceError(.malformed, "it is larger than \(largest >> 20) MB") }
        return response.body
      }
    }
  }

  private func about(_ address: WebAddress, _ error: SourceError) -> SourceError {
    var error = error
    error.message = "the picture at \(address.withoutQuery): \(error.message)"
    // The request had no key that could be refused: the host denies everyone.
    if error.kind == .refusedKey { error.kind = .unavailable }
    return error
  }
}
