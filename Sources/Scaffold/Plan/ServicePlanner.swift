import AggregatorCore
import SourceTesting

/// Decides how the service is asked, from what was recorded of it.
struct ServicePlanner {
  let name: SourceName
  let model: ServiceModel
  let finder: SecretFinder
  let start: RecordedPage
  let pages: [RecordedPage]
  /// Where a person's text goes, when that is sure.
  let search: ListModel?

  func plan() -> ServicePlan {
    let list = model.list
    let size = size
    let total = list.total.flatMap { $0.confidence > .weak ? $0.value : nil }
    return ServicePlan(
      list: list, paging: list.paging.value, pageSize: max(size?.value ?? 0, list.longestPage), sizeParameter: size?.parameter,
      total: total,
      isTotalOptional: total.map { total in pages.contains { $0.total(total) == nil } } ?? false, more: more,
      isMoreOptional: more.map { more in pages.contains { $0.more(more) == nil } } ?? false, isKeyApart: isKeyApart,
      search: search?.search?.value,
      address: ServiceAddress(list: list.endpoint.address, search: search?.endpoint.address), constants: constants(but: size?.parameter),
      headers: headers, keys: keys, body: body)
  }

  private var more: MoreModel? { model.list.paging.value == .whole ? nil : model.list.more?.value }

  private var isKeyApart: Bool {
    if case .keyset(let path, _) = model.list.paging.value { path != model.list.key?.value } else { false }
  }

  /// What was asked for, where a parameter says so.
  private var size: (parameter: Parameter, value: Int)? {
    guard let guess = model.list.size, guess.confidence > .weak, model.list.paging.value != .whole else { return nil }
    return start.call[guess.value].flatMap { Int($0) }.map { (guess.value, $0) }
  }

  private func constants(but size: Parameter?) -> [HTTPResponse.Header] {
    let parts = [model.list.paging.value.parameter, size, search?.search?.value].compactMap { $0 }.filter { $0.place == .query }.map(\.name)
    return start.call.query.filter { item in
      !parts.contains(item.name) && !finder.isSecret(item.name) && !Noise.isNoise(item.name, item.value) && !isLeading(item)
    }
  }

  /// Whether it is what the next page's address has another value for.
  private func isLeading(_ item: HTTPResponse.Header) -> Bool {
    guard let target = start.next(model.list.paging.value).flatMap(start.exchange.request.address.resolving), model.list.isFollowed else {
      return false
    }
    let next = RecordedCall.items(of: target).filter { $0.name == item.name }
    return !next.isEmpty && !next.contains(item)
  }

  /// Those that choose a version or a format; browsers send dozens of others.
  private var headers: [HTTPResponse.Header] {
    start.exchange.request.headers.filter { header in
      let name = header.name.lowercased()
      guard !name.hasPrefix(":"), !finder.isSecretHeader(header.name) else { return false }
      let isFormat = name == "accept" && (header.value.contains("vnd.") || header.value.contains("+json"))
      return isFormat || name.hasSuffix("version") && name != "version"
    }
  }

  private var keys: [KeyPlan] {
    let carriers = finder.carriers(in: start.call)
    var settings = Identifiers(avoiding: ["\(name.setting)_URL"])
    var members = Identifiers(avoiding: ["\(name.member)URL"])
    return carriers.map { carrier in
      let words = carriers.count == 1 ? ["api", "key"] : Identifiers.words(in: carrier.name)
      let suffix = words.isEmpty ? "KEY" : words.map { $0.uppercased() }.joined(separator: "_")
      let tail = carriers.count == 1 ? ["key"] : words.isEmpty ? ["key"] : words
      return KeyPlan(
        carrier: carrier, setting: settings.claim("\(name.setting)_\(suffix)"),
        member: members.claim(name.member + tail.map { $0.prefix(1).uppercased() + $0.dropFirst().lowercased() }.joined()))
    }
  }

  /// What was posted, without what looks like a key.
  private var body: Value? {
    func plain(_ value: Value) -> Value {
      switch value {
      case .object(let members):
        .object(members.filter { !finder.isSecret($0.name) }.map { Member(name: $0.name, value: plain($0.value)) })
      case .list(let values): .list(values.map(plain))
      default: value
      }
    }
    return start.call.document.map(plain)
  }
}

extension ListModel {
  /// Whether each page names the address of the next.
  var isFollowed: Bool {
    switch paging.value {
    case .link, .nextAddress: true
    case .whole, .offset, .number, .token, .keyset: false
    }
  }

  var isToken: Bool { if case .token = paging.value { true } else { false } }
}
