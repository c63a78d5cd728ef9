import AggregatorCore
import Asking
import Platform
import RecordFormats
import Synchronization

/// The cookie that a browser brings in place of the token: the number of its login, and this server's signature of it. The server remembers
/// only the logins that have ended. Another token or another start of the server ends them all.
final class TokenCookie: Sendable {
  /// Cookies do not know ports, so the name has the port: two servers of one machine do not end each other's.
  let name: String
  private let key: Secret
  /// The numbers of the logins that were ended by logging out.
  private let ended = Mutex<Set<String>>([])

  init(for token: Secret, calledAt port: Int?) {
    name = "aggregator\(port.map { "-\($0)" } ?? "")"
    key = Secret("\(token.reveal())\n\(TokenCookie.number())")
  }

  /// Draws a number of 32 hexadecimal digits.
  private static func number() -> String {
    (0..<2).map { _ in String(UInt64.random(in: 1 << 60 ... .max), radix: 16) }.joined()
  }

  private func signature(of number: String) -> String {
    let key = key.reveal()
    return String(SHA256.hex("\(key)\n\(SHA256.hex("\(key)\n\(number)"))").prefix(32))
  }

  /// The numbers of the logins whose cookies the request brings, perhaps among other cookies.
  private func logins(of request: Request) -> [String] {
    request.values(of: "cookie").flatMap { $0.split(separator: ";") }.map { String($0).trimmingSpaces }.compactMap { cookie in
      guard cookie.hasPrefix("\(name)=") else { return nil }
      let value = cookie.dropFirst(name.utf8.count + 1)
      let number = String(value.prefix(32))
      let isSigned = value.utf8.count == 64 && Secret(signature(of: number)).equals(String(value.dropFirst(32)))
      return isSigned ? number : nil
    }
  }

  /// True when the request brings the cookie of a login that has not ended.
  func isIn(_ request: Request) -> Bool {
    let logins = logins(of: request)
    return !logins.isEmpty && ended.withLock { !$0.isSuperset(of: logins) }
  }

  /// Ends the login whose cookie the request brings.
  func end(_ request: Request) {
    let logins = logins(of: request)
    ended.withLock { $0.formUnion(logins) }
  }

  /// The header that gives the cookie of a new login to a browser, or takes it away.
  func header(for request: Request, isEnd: Bool = false) -> Request.Header {
    // A server behind a proxy does not see TLS. The browser itself says by which scheme it came, and what it says concerns only its own cookie.
    let isEncrypted = request["origin"]?.lowercased().hasPrefix("https://") ?? false
    let end = (isEnd ? "; Max-Age=0" : "") + (isEncrypted ? "; Secure" : "")
    let number = Self.number()
    return ("Set-Cookie", "\(name)=\(isEnd ? "" : number + signature(of: number)); HttpOnly; SameSite=Strict; Path=/\(end)")
  }
}

extension Secret {
  /// True when the text is this secret. The time that this takes does not depend on how much of the text is right.
  func equals(_ text: String) -> Bool {
    let digests = [text, reveal()].map { SHA256.digest(of: Array($0.utf8)) }
    return zip(digests[0], digests[1]).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }
}

/// The wrong tokens of the last minute. After ten of them the form takes none until the first is a minute old.
final class WrongTokens: Sendable {
  private static let most = 10
  private static let time = Duration.seconds(60)
  private let moments = Mutex<[Moment]>([])

  func note(at now: Moment) { moments.withLock { $0.append(now) } }

  /// Returns how long the form takes no token; nil if it takes one.
  func wait(at now: Moment) -> Duration? {
    moments.withLock { moments in
      // A clock that was set back must not keep anybody out.
      moments.removeAll { !(.zero..<Self.time).contains(now - $0) }
      guard moments.count >= Self.most, let first = moments.first else { return nil }
      return Self.time - (now - first)
    }
  }
}

/// The page where a person gives the token once.
enum LoginPage {
  static let address = "/-/login"
  /// The greatest number of bytes in the body of its form.
  static let bodyBytes = 4 << 10

  /// The address of the page, which leads on to `target`. A target that it could not read again, or that has the token in it, is left out.
  static func address(leadingTo target: String, scrubber: Scrubber?) -> String {
    let isPlain = isLocal(target) && target.utf8.count <= AskWords.mostLetters && !(scrubber?.finds(in: target) ?? false)
    return isPlain && target != "/" ? "\(address)?to=\(PercentEncoding.query(target))" : address
  }

  /// The page, which leads on to `target` and says what was wrong.
  static func page(leadingTo target: String, saying mistake: String?) -> HTMLPage {
    let form: Markup = """
      <h1>Sign in</h1>
      \(mistake.map { "<p role=\"alert\">\($0)</p>" as Markup } ?? "")
      <form method="post" action="\(address(leadingTo: target, scrubber: nil))">
      <label for="token">Token of this server</label>
      <input type="password" id="token" name="token" autocomplete="current-password" required autofocus>
      <button>Sign in</button>
      </form>

      """
    return HTMLPage("Sign in", isBare: true, form)
  }

  /// True for an address of this server. A browser would read `//` and `/\` as the beginning of another one.
  static func isLocal(_ target: String) -> Bool {
    target.hasPrefix("/") && !target.hasPrefix("//") && target.utf8.allSatisfy { 0x21..<0x7F ~= $0 && $0 != UInt8(ascii: "\\") }
  }
}

extension Route {
  /// The addresses by which a browser comes in and leaves. They change nothing in the store.
  static let login: [Route] = [
    Route("GET", [.word("-"), .word("login")], taking: [.to], as: [.html], .file, "asks for the token") { $0.login() },
    Route("POST", [.word("-"), .word("login")], taking: [.to], as: [.html], .file, "trades the token for a cookie") {
      try $0.loggedIn()
    },
    Route("POST", [.word("-"), .word("logout")], as: [.html], .file, "ends the login and its cookie") { call in
      let cookie = call.interface.gate.cookie
      cookie?.end(call.request)
      let header = cookie?.header(for: call.request, isEnd: true)
      return Reply(
        303, headers: [("Location", LoginPage.address), ("Clear-Site-Data", "\"cache\"")] + [header].compactMap(\.self))
    },
  ]
}

extension Ask.Parameter {
  /// The address to go to after the login.
  fileprivate static let to = Self("to", .text, "the address to go to afterwards")
}

extension Call {
  private var target: String { text(.to).flatMap { LoginPage.isLocal($0) ? $0 : nil } ?? "/" }

  fileprivate func login(_ status: Int = 200, _ mistake: String? = nil, headers: [Request.Header] = []) -> Reply {
    guard service.token != nil else { return Reply(303, headers: [("Location", "/")]) }
    return LoginPage.page(leadingTo: target, saying: mistake).reply(status, from: service, headers: headers)
  }

  fileprivate func loggedIn() throws -> Reply {
    guard let token = service.token, let cookie = interface.gate.cookie else { return login() }
    let type = request["content-type"]?.prefix { $0 != ";" } ?? ""
    guard String(type).trimmingSpaces.lowercased() == "application/x-www-form-urlencoded" else {
      throw Problem(415, "unsupported-type", "the token is sent as a form, application/x-www-form-urlencoded")
    }
    let given = AskWords(query: String(decoding: request.body, as: UTF8.self)).given
    guard given.count == 1, let tokens = given["token"], tokens.count == 1 else {
      throw Problem.malformed("the form has one field, token, once")
    }
    if let wait = interface.gate.wrongTokens.wait(at: now) {
      let seconds = max(1, Int(wait.inSeconds.rounded(.up)))
      return login(429, "Too many wrong tokens. Try again in \(seconds) s.", headers: [("Retry-After", "\(seconds)")])
    }
    guard token.equals(tokens[0]) else {
      interface.gate.wrongTokens.note(at: now)
      return login(403, "This is not the token of this server.")
    }
    return Reply(303, headers: [("Location", target), cookie.header(for: request)])
  }
}
