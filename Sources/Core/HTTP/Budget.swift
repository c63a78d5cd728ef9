/// How often a service lets itself be asked: `200/1h` for each resource and `1/1s` for the host, say.
public struct Budget: Sendable, Hashable {
  /// So many requests in so long a time.
  public struct Rate: Sendable, Hashable {
    public let count: Int
    public let period: Duration
    public let scope: Scope

    public init(_ count: Int, per period: Duration, for scope: Scope = .host) {
      self.count = count
      self.period = period
      self.scope = scope
    }
  }

  /// What a rate counts.
  public enum Scope: String, Sendable, Hashable {
    case host
    case resource
  }

  public var rates: [Rate]

  public init(_ rates: [Rate]) { self.rates = rates }

  public static let unlimited = Budget([])
}

extension Budget {
  /// Reads `200/1h`, several of them after commas, or `unlimited`; the scope of each is that of the published rate with
  /// the same period, else the host.
  public init(_ text: String, like published: Budget = .unlimited) throws(SourceError) {
    if text == "unlimited" {
      self = .unlimited
      return
    }
    var rates: [Rate] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let sides = part.filter { $0 != " " }.split(separator: "/", omittingEmptySubsequences: false)
      guard sides.count == 2, let count = Int(sides[0]), count > 0, let period = Duration(amount: String(sides[1])), period > .zero
      else { throw SourceError(.settings, "\"\(text)\" is not a valid budget", remedy: "write 200/1h, 200/1h,1/1s or unlimited") }
      let scope = published.rates.first { $0.period == period }?.scope ?? published.rates.first { $0.scope == .resource }?.scope
      rates.append(Rate(count, per: period, for: scope ?? .host))
    }
    self.init(rates)
  }
}

extension Budget: CustomStringConvertible {
  public var description: String {
    rates.isEmpty ? "unlimited" : rates.map { "\($0.count)/\($0.period.exactAmount)" }.joined(separator: ",")
  }
}
