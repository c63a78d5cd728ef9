package import AggregatorCore
import Bodies
import Logins
package import Recordings
package import Services

/// A manifest made from a recording or a probe, with its evidence and the confidence in each part.
package struct Draft: Sendable {
  /// The name of the file, and of the source if there is only one.
  package let name: String
  /// The manifest as it is written to its file.
  package private(set) var bytes: [UInt8]
  /// The recording it was made from, called `NAME.har`. Secrets are removed; everything else is as it was recorded.
  package let recording: Fixture
  /// The reason why no walk of the source will be complete; nil if none is known.
  package let doubt: String?
  /// The guesses, in the order in which a person checks them.
  package let findings: [Finding]
  /// Notices for a person, a clause each.
  package let notices: [String]
  /// The keys that the service wants, by the names of their settings.
  package let keys: [(setting: String, key: NamedKey)]

  /// One guess about the service.
  package struct Finding: Sendable, Hashable {
    /// The part of the description, such as `paging`.
    package let subject: String
    /// The guess itself, such as `offset by query "skip"`.
    package let guess: String
    package let confidence: Confidence
    /// The reason for the guess, as a clause.
    package let reason: String
    /// The remedy if the guess is wrong.
    package var remedy: Remedy?
  }

  /// Decides what is unclear. `subject` says what it is about (`the list`), `options` has the
  /// likeliest first. Returns the number of an option.
  package typealias Choose = (_ subject: String, _ options: [String]) throws -> Int

  /// Says whether the `rows` of an answer are everything. `isOpen` is true when the answer gives no
  /// hint either way, so that a person may be asked.
  package typealias Vouch = (_ rows: Int, _ isOpen: Bool) throws -> Bool

  /// The manifest, read again from its bytes.
  package var contents: ManifestContents {
    get throws(SourceError) { try ManifestContents(bytes, at: "\(name).json") }
  }

  /// The values that are saved with it: each key, or the parts of its login, by the names of their settings.
  package let values: [(setting: String, value: Secret)]

  /// The setting of a bearer token; nil if no key is one.
  package var bearerToken: String? { keys.first { $0.key.carrier.isBearerToken && $0.key.login == nil }?.setting }

  /// The same draft with a key that is renewed by design: the bearer token, or else every key.
  package var rotating: Draft {
    get throws(SourceError) {
      var manifest = try contents.manifest
      for index in manifest.keys.indices {
        manifest.keys[index].setting.rotates = [nil, manifest.keys[index].setting.name].contains(bearerToken)
      }
      let bytes = manifest.value.prettyBytes
      return copy(of: self) { $0.bytes = bytes }
    }
  }

  /// The draft of one list, with the recorded exchanges that it rests on.
  init(_ described: DescribedList, of list: ListModel, over exchanges: some Sequence<Exchange>) {
    let (request, base) = (described.request, described.base)
    name = described.source.name
    recording = Fixture("\(name).har", exchanges: Array(exchanges))
    (findings, doubt) = (Self.findings(described, list), described.doubt)
    notices = request.notices.inGroups { $0 }.map(\.key)
    let settings = DraftSettings(name, request.keys)
    keys = zip(settings.keys, request.keys).map { ($0, $1) }
    let logins = request.keys.compactMap { key in key.login.map { ($0, $0.oauth(settings.stem)) } }
    values = keys.flatMap { name, key in
      key.login.map { $0.values(for: $0.oauth(settings.stem)) } ?? key.value.map { [(name, $0)] } ?? []
    }
    let users = request.keys.compactMap { key in
      if case .basic(_, let user) = key.carrier { user } else { nil }
    }
    var address = Setting(settings.address, .address, Setting.usualSummary(.address), default: base.description)
    address.isInsecure = !base.isSafe
    let manifest = Manifest(
      file: "\(name).json", address: address,
      texts: users.map { Setting(settings.user, .text, "the user's name", default: $0) } + logins.map(\.1.client),
      keys: zip(settings.keys, request.keys).map { name, key in
        let setting = Setting(name, .secret, Setting.usualSummary(.secret))
        guard case .basic(let header, _) = key.carrier else {
          return copy(of: ManifestKey(setting, key.carrier)) { $0.oauth = key.login?.oauth(settings.stem) }
        }
        return ManifestKey(setting, .basic(header: header, user: settings.user))
      },
      headers: described.headers.map { ManifestRequest.Item($0.name, Template($0.value)) },
      sources: [described.recorded(in: "\(name).har").source])
    bytes = manifest.value.prettyBytes
  }

  /// Throws if one of these keys would be left in the manifest.
  func refuse(_ secrets: [Secret]) throws {
    guard Scrubber(secrets).finds(in: bytes) else { return }
    throw SourceError(
      .settings, "a key would be left in what describes \(name), so nothing was written",
      remedy: "remove it from the request, where it stands a second time")
  }

  private static func findings(_ draft: DescribedList, _ list: ListModel) -> [Finding] {
    let paging = list.paging
    var findings: [Finding] = []
    func note<Content: CustomStringConvertible>(
      _ subject: String, _ guess: Guess<Content>?, _ addition: String = "", remedy: Remedy? = nil
    ) {
      guard let guess else { return }
      let reason = guess.reason + addition
      findings.append(
        Finding(subject: subject, guess: "\(guess.value)", confidence: guess.confidence, reason: reason, remedy: remedy))
    }
    if list.recorded.body != .json { note("body", Guess(list.recorded.body.name, .strong, "the answer is in it")) }
    note("rows", list.items)
    note("paging", paging.way)
    note("page size", paging.size)
    if let doubt = draft.doubt {
      let next = list.token.map { Remedy.give([.init("next", "\($0)=PARAM")], "with the parameter that takes it") }
      let remedy = next ?? (doubt == ListModel.unsaid ? Remedy.give(["whole"], "if they are") : nil)
      note("end", Guess("no walk is complete: \(doubt)"), remedy: remedy)
    } else if paging.total == nil, paging.more == nil, !paging.way.value.isNamed, paging.way.value.kind != .whole {
      note("end", Guess("a page without rows", .weak, "no total is announced"))
    } else if paging.way.value.kind != .whole {
      note("end", Guess(paging.end(isTotalUsed: draft.source.list.paging.total != nil)))
    }
    if draft.source.list.paging.total == nil { note("total", paging.total, "; it is not used") }
    for caveat in list.caveats { note("heard", Guess(caveat.told, .strong, "it is in the answer")) }
    let names = draft.source.keyParts.joined(separator: ", ")
    let joint = Guess(names, .weak, "nothing else tells all \(list.recorded.rows.count) rows apart")
    note("id", list.key?.map { _ in list.loneKey?.description ?? names } ?? joint)
    note("title", list.title?.map { $0.map(\.description).joined(separator: " and ") })
    if draft.leftOut > 0 { note("fields", Guess("the first \(draft.source.fields.count); \(draft.leftOut) more are left out")) }
    note("search", list.search, draft.source.search == nil ? "; the walk searches" : "")
    return findings
  }
}

extension ListPaging {
  /// Returns where a walk over the list ends, in words.
  fileprivate func end(isTotalUsed: Bool) -> String {
    if isTotalUsed, let total { return "where \(total.value) is reached" }
    if let more { return "where \(more.value.path) says so" }
    return way.value.isNamed ? "where no next page is named" : "a page without rows"
  }
}

extension WebAddress {
  /// Returns the deepest folder that contains all of `addresses`.
  static func base(of addresses: [WebAddress]) -> WebAddress {
    let folders = addresses.map { address in
      let parts = address.path.split(separator: "/", omittingEmptySubsequences: false)
      return Array(parts.dropLast(address.path.hasSuffix("/") ? 2 : 1))
    }
    let shared = folders.dropFirst().reduce(folders[0]) { zip($0, $1).prefix { $0 == $1 }.map(\.0) }
    var base = addresses[0]
    base.query = nil
    base.path = shared.joined(separator: "/") + "/"
    return base
  }
}

// MARK: - Unclear parts

extension ListModel {
  private static let mostOptions = 6

  /// Returns the same list, or another list of the same answer if a person chooses that one; `read` reads the list at a path.
  func choosingRows(_ choose: Draft.Choose, reading read: (ValuePath) throws -> ListModel) throws -> ListModel {
    let options = recorded.rowPaths.prefix(Self.mostOptions)
    guard options.count > 1 else { return self }
    let chosen = try options[choose("the list", options.map { "\($0.path) (\($0.count) rows)" })].path
    return chosen == items.value ? self : try read(chosen)
  }

  /// Returns the list with the key and the title that a person chooses, where these are unclear.
  func choosing(_ choose: Draft.Choose) throws -> ListModel {
    let texts = recorded.records.map(\.joiningParts)
    var list = self
    func ask(_ guess: Guess<[ValuePath]>?, _ subject: String, _ others: [ValuePath]) throws -> Guess<[ValuePath]>? {
      guard let guess, guess.confidence == .weak, let likeliest = guess.value.first else { return guess }
      let all = ([likeliest] + others.filter { $0 != likeliest }).prefix(Self.mostOptions)
      let options = all.map { path in
        let examples = texts.prefix(3).compactMap { $0[path]?.word.map { String($0.prefix(30)) } }
        return "\(path) (\(examples.joined(separator: ", ")))"
      }
      let chosen = try all[choose(subject, options)]
      return chosen == likeliest ? guess : Guess([chosen], .fair, "it was chosen")
    }
    list.key = try ask(key, "what tells the rows apart", keys)
    let paths = texts.first?.scalars(depth: 2).map(\.path) ?? []
    let titles = paths.filter { path in texts.contains { $0[path].map { $0.text != nil && $0.int == nil } ?? false } }
    list.title = try ask(title, "the title", titles)
    if list.title != title { list.title = list.title?.map { $0.flatMap(titlePaths) } }
    return list
  }
}
