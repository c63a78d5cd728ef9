import AggregatorCore
import Platform

/// The tokens of a login as they are stored.
struct Tokens: Sendable, Hashable {
  /// The state of a refresh token.
  enum Use: String {
    /// It can be used.
    case unused
    /// A request with it was sent, and its answer is not stored. Many services end a login if the same one is sent twice.
    case sent
    /// The service refused it.
    case refused
    /// The person logged out. It may have been used, so it is not sent again.
    case loggedOut
    /// The person had set it before, and another one after it.
    case past
  }

  /// The token for requests; nil until the first one came.
  var access: Secret?
  /// The token for the next one; nil if the service gave none.
  var refresh: Secret?
  var use = Use.unused
  /// True when a renewal brought a new refresh token, false when the old one stayed; nil until the first renewal.
  var rotates: Bool?
  /// The moment when ``access`` came.
  var cameAt: Moment
  /// The time for which it can be used, as the service said; nil if it did not say.
  var lasts: Duration?
  /// The name of the account.
  var holder: String?
  /// The digest of the refresh token that a person set, from which these tokens descend; empty after a login.
  var origin = ""
  /// The digests of refresh tokens that a person had set before. They were sent once, and are not sent again.
  var past: [String] = []

  /// True when ``access`` can be used, as far as is known. A token from a time that has not come yet is from a clock that was wrong.
  func isFresh(at now: Moment) -> Bool {
    guard access != nil, cameAt <= now + .seconds(60) else { return false }
    guard let lasts else { return true }
    return now < cameAt + lasts - min(.seconds(60), lasts / 10)
  }

  /// True when ``refresh`` may be sent. One that the service does not replace may be sent again.
  var mayRenew: Bool { refresh != nil && (use == .unused || use == .sent && rotates == false) }
}

// MARK: - As a file

extension Tokens {
  init(_ bytes: [UInt8]) throws {
    let json = try JSON(bytes)
    access = try json.stringIfPresent("access").map { Secret($0) }
    refresh = try json.stringIfPresent("refresh").map { Secret($0) }
    use = try Use(rawValue: json.string("use")) ?? .refused
    rotates = try json["rotates"]?.asBool()
    cameAt = Moment(secondsSinceEpoch: try json.int("cameAt"))
    lasts = try json.intIfPresent("lasts").map { .seconds($0) }
    holder = try json.stringIfPresent("holder")
    origin = try json.string("origin")
    past = try json.arrayIfPresent("past")?.map { try $0.asString() } ?? []
  }

  var bytes: [UInt8] {
    Value.object(leavingOutNil: [
      "access": access.map { .text($0.reveal()) }, "refresh": refresh.map { .text($0.reveal()) }, "use": .text(use.rawValue),
      "rotates": rotates.map(Value.bool), "cameAt": .int(cameAt.seconds),
      "lasts": lasts.map { .int(Int($0.components.seconds)) }, "holder": holder.map(Value.text), "origin": .text(origin),
      "past": past.isEmpty ? nil : .list(past.suffix(20).map(Value.text)),
    ]).bytes
  }
}

// MARK: - As a service gives them

extension Tokens {
  /// Reads the tokens in a service's answer.
  init(answer json: JSON, at now: Moment, naming holder: ValuePath?) throws {
    let token = try json.string("access_token")
    guard Self.isSendable(token) else { throw SourceError(.malformed, "the access token cannot be sent in a header") }
    if let type = try json.stringIfPresent("token_type"), type.lowercased() != "bearer" {
      throw SourceError(.malformed, "the tokens are of the type \(Printable.clean(String(type.prefix(40)))), not bearer")
    }
    access = Secret(token)
    refresh = try json.stringIfPresent("refresh_token").flatMap { $0.isEmpty ? nil : Secret($0) }
    cameAt = now
    // Some services write it as a text. A time that is over at once says nothing; the service itself will refuse the token.
    let seconds = json["expires_in"].flatMap { value in (try? value.asDouble()) ?? (try? value.asString()).flatMap(Double.init)
    }
    lasts = seconds.flatMap { $0 > 0 ? .seconds(Int(min($0, 10 * 365 * 86_400))) : nil }
    if let holder {
      guard let name = holder.value(in: json)?.value.plainText, !name.isEmpty else {
        throw SourceError(
          .malformed, "the answer with the tokens has no \(holder.text), the name of the account", remedy: .checkLogin("holder")
        )
      }
      self.holder = name
    } else {
      self.holder = try json.stringIfPresent("id_token").flatMap(Self.subject)
    }
  }

  private static func isSendable(_ token: String) -> Bool {
    !token.isEmpty && token.utf8.count <= 64 << 10 && token.utf8.allSatisfy { 0x21..<0x7F ~= $0 }
  }

  /// Returns the issuer and the subject of an id token. It came from the address of the tokens itself, so its signature adds nothing.
  private static func subject(of token: String) -> String? {
    let parts = token.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3 else { return nil }
    let text = String(parts[1].map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 })
    let padded = text + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
    guard let bytes = Base64.decode(padded), let claims = try? JSON(bytes), let subject = try? claims.string("sub") else {
      return nil
    }
    return "\((try? claims.stringIfPresent("iss")) ?? "") \(subject)"
  }
}
