import AggregatorCore
import Asking
import Pictures
import Platform
import Synchronization

/// The interface while it is served: it finds the route of each request, and remembers what runs.
final class Interface: Sendable {
  let service: Service
  let gate: Guard
  let pictures: PictureCache
  let jobs: Jobs
  let traffic = Traffic()
  let routes: [Route]
  /// The secret with which this server signs the addresses of pictures on its pages.
  private let pictureKey = (0..<4).map { _ in UInt64.random(in: .min ... .max) }
  /// The last look at the sources, and at the files that describe some of them.
  private let looked = Mutex<(sight: Sight, at: Moment)?>(nil)

  /// The sources at a moment, and what they take from the outside.
  struct Sight: Sendable {
    let catalogue: Catalogue
    let world: World
  }

  init(_ service: Service, at address: String, calledAt port: Int?) {
    let own = ["localhost", "127.0.0.1", "[::1]"]
    let hosts = service.hosts + (port == nil || own.contains(address) ? [] : [address])
    let named =
      hosts + hosts.flatMap { host in port.map { ["\(host):\($0)"] } ?? [] }
      + own.flatMap { name in port.map { ["\(name):\($0)"] + ($0 == 80 ? [name] : []) } ?? [name] }
    (self.service, jobs, routes) = (service, Jobs(), Route.all(of: service))
    gate = Guard(hosts: Set(named.map { $0.lowercased() }), token: service.token, origins: Set(service.origins), calledAt: port)
    pictures = PictureCache(in: service.world, folder: service.pictures)
  }

  private var now: Moment { service.world.clock.now }

  /// The signature of an address. A request without it cannot make this server fetch what it names.
  func signature(of address: String) -> String {
    let key = pictureKey.map { String($0, radix: 36) }.joined(separator: " ")
    return String(SHA256.hex("\(key) \(SHA256.hex("\(key) \(address)"))").prefix(32))
  }

  /// The present sources. The files are not looked at again before ``Service/lookTime`` is over.
  func sight() throws -> Sight {
    if let looked = looked.withLock(\.self), now - looked.at < service.lookTime { return looked.sight }
    let (catalogue, settings) = try service.look()
    let sight = Sight(catalogue: catalogue, world: copy(of: service.world) { $0.settings = settings })
    looked.withLock { $0 = (sight, now) }
    return sight
  }

  func answer(_ request: Request) -> Answering {
    let began = now
    var label = "none"
    do {
      if let problem = gate.refusal(of: request) { throw problem }
      let (route, call): (Route, Call)
      switch try find(request) {
      case .methods(let allowed): return .now(finish(options(allowed, for: request), to: request, label, began))
      case .call(let found, let asked): (route, call, label) = (found, asked, found.template)
      }
      return .later { [self, label] in
        let reply: Reply
        do {
          reply = try await call.hearing {
            try await route.isHeavy ? traffic.inTurn(of: call.subject) { try await route.answer(call) } : route.answer(call)
          }.checked(for: request)
        } catch { reply = problem(error, of: request, in: call) }
        return finish(call.completed(reply), to: request, label, began)
      }
    } catch {
      return .now(finish(problem(error, of: request), to: request, label, began))
    }
  }

  /// The reply for an error, without the paths of the server's folders.
  private func problem(_ error: any Error, of request: Request, in call: Call? = nil) -> Reply {
    let problem = copy(of: Problem(error)) { ($0.detail, $0.remedy) = (bare($0.detail), $0.remedy.map(bare)) }
    guard request.wantsPage else { return problem.reply(to: request) }
    return problem.page(in: call).reply(problem.status, from: service, headers: problem.headers)
  }

  /// A text without the paths of the server's folders.
  func bare(_ text: String) -> String { service.folders.reduce(text) { $0.replacingEach($1 + "/", with: "") } }

  private enum Found {
    case call(Route, Call)
    /// The request asks only which methods the address takes.
    case methods(String)
  }

  /// Finds what is asked.
  private func find(_ request: Request) throws -> Found {
    let sides = request.target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let query = sides.count == 2 ? String(sides[1]) : ""
    let segments = try sides[0].split(separator: "/").map { try Self.decoded(String($0)) }
    _ = try Self.decoded(query)
    // What needs no token tells nothing of the sources, not even that something is wrong with them.
    let sight = Guard.isOpen(request) ? Sight(catalogue: Catalogue(), world: service.world) : try sight()
    let found = routes.compactMap { route in route.match(segments, in: sight.catalogue).map { (route, $0) } }
    guard !found.isEmpty, sides[0].hasPrefix("/") else { throw missing(segments, in: sight.catalogue) }
    if request.method == "OPTIONS" { return .methods(Self.allowed(by: found.map(\.0))) }
    let method = request.method == "HEAD" ? "GET" : request.method
    guard let (route, match) = found.first(where: { $0.0.method == method }) else {
      throw Problem(
        405, "method-not-allowed", "this address does not take \(Printable.clean(request.method))",
        headers: [("Allow", Self.allowed(by: found.map(\.0)))])
    }
    return .call(route, try Call(of: self, route, match, sight, request, AskWords(query: query)))
  }

  private static func allowed(by routes: [Route]) -> String {
    let methods = Set(routes.map(\.method))
    return (methods.union(methods.contains("GET") ? ["HEAD", "OPTIONS"] : ["OPTIONS"])).sorted().joined(separator: ", ")
  }

  private func options(_ allowed: String, for request: Request) -> Reply {
    var reply = Reply(204, headers: [("Allow", allowed)])
    if request["origin"].map(gate.origins.contains) ?? false {
      reply.headers += [
        ("Access-Control-Allow-Methods", "GET, HEAD"),
        ("Access-Control-Allow-Headers", "Accept, Authorization, If-None-Match, Last-Event-ID"),
        ("Access-Control-Max-Age", "600"),
      ]
    }
    return reply
  }

  /// The problem of an address that no route has: an unknown source, or an unknown word.
  private func missing(_ segments: [String], in catalogue: Catalogue) -> Problem {
    let names = catalogue.sources.map(\.name)
    let named = segments.first == "api" ? segments.dropFirst().first : segments.first
    if let named, catalogue[named] == nil, segments[0] != "-" {
      if let omission = catalogue.omission(of: named) { return Problem(omission.reason) }
      let unknown = Unknown("source", Printable.clean(named), among: names)
      let remedy = unknown.nearest.map { "did you mean \"\($0)\"?" } ?? "GET /api/sources"
      // A file that cannot be read may describe it.
      let texts =
        ["\(unknown)"] + catalogue.omissions.filter { $0.name == nil }.map { "\($0.reason.worded(Remedy.inAddresses))" }
      return copy(of: Problem(404, "not-found", texts.joined(separator: "; "), remedy: remedy)) { $0.nearest = unknown.nearest }
    }
    return Problem(404, "not-found", "no such address", remedy: "/openapi.json lists them")
  }

  /// Decodes a part of an address once. What would not be the text that was meant is refused.
  static func decoded(_ text: String) throws(Problem) -> String {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let digits = String(rest.prefix(2)), digits.utf8.count == 2, digits.allSatisfy(\.isHexDigit),
        let value = UInt8(digits, radix: 16)
      else { throw .malformed("the address has a % without two digits after it") }
      bytes.append(value)
      rest = rest.dropFirst(2)
    }
    guard let decoded = String(validating: bytes, as: UTF8.self), !bytes.contains(0) else {
      throw .malformed("the address holds bytes that are no text")
    }
    return decoded
  }

  /// Adds what every answer has, and counts it.
  private func finish(_ reply: Reply, to request: Request, _ label: String, _ began: Moment) -> Reply {
    var reply = reply
    reply.headers += [("Vary", "Accept, Accept-Encoding")] + Guard.headers + gate.sharing(with: request)
    if !reply.headers.contains(where: { $0.name == "Cache-Control" }) {
      reply.headers.append(("Cache-Control", "private, no-cache"))
    }
    let spent = now - began
    traffic.note(label, reply.status, spent)
    if let hear = service.hear {
      // A client may have put the token where it does not belong.
      let target = gate.scrubber?.scrub(request.target) ?? request.target
      hear(Service.Access(method: request.method, target: target, status: reply.status, spent: spent))
    }
    return reply
  }
}
