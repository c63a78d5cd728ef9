import AggregatorCore
package import Inference
package import Manifests
import SourceVerification

/// A manifest that was found out: what it says, what it rests on, and how sure each part is.
package struct Draft: Sendable {
  /// What the file is called, and the source where it is one.
  package let name: String
  /// The manifest, as it is written.
  package let bytes: [UInt8]
  /// What its sources were read from, without secrets, each called `NAME.har`; nothing in them was changed.
  package let recordings: [Fixture]
  /// What was guessed, in the order in which a person checks it.
  package let findings: [Finding]
  /// What a person should know about it, a clause each.
  package let notices: [String]
  /// The keys that the service wants, by the names of their settings.
  package let keys: [(setting: String, key: NamedKey)]

  /// Something that was guessed.
  package struct Finding: Sendable, Hashable {
    /// `paging`.
    package let subject: String
    /// `offset by query "skip"`.
    package let guess: String
    package let confidence: Confidence
    /// A clause that says why.
    package let reason: String
  }

  /// The manifest, read again from its bytes.
  package var contents: ManifestContents {
    get throws(SourceError) { try ManifestContents(bytes, at: "\(name).json") }
  }

  /// A manifest called `name` with these lists of one service, of which one stands in each recording.
  init(_ name: String, _ drafts: [SourceDraft], over recordings: [Fixture], findings: [Finding] = []) {
    (self.name, self.recordings, self.findings) = (name, recordings, findings)
    let keys = drafts[0].request.keys
    let settings = DraftSettings(name, keys)
    let addresses = drafts.flatMap { [$0.request.address, $0.search?.address].compactMap(\.self) }
    bytes = SourceDraft.manifest(of: drafts, below: .base(of: addresses), settings: settings).prettyBytes
    notices = drafts.flatMap(\.request.notices).inGroups { $0 }.map(\.key)
    self.keys = zip(settings.keys, keys).map { ($0, $1) }
  }

  /// The draft of one list, of which so much was recorded.
  init(_ draft: SourceDraft, of list: ListModel, over exchanges: some Sequence<Exchange>) {
    let recording = Fixture("\(draft.name).har", exchanges: Array(exchanges))
    self.init(draft.name, [draft], over: [recording], findings: Self.findings(draft, list))
  }

  /// Throws where one of these keys would be left in the manifest.
  func refuse(_ secrets: [Secret]) throws {
    guard Scrubber(secrets).finds(in: bytes) else { return }
    throw SourceError(
      .custom("secret-left"), "a key would be left in what describes \(name), so nothing was written",
      remedy: "remove it from the request, where it stands a second time")
  }

  private static func findings(_ draft: SourceDraft, _ list: ListModel) -> [Finding] {
    var findings: [Finding] = []
    func note<Content: CustomStringConvertible>(_ subject: String, _ guess: Guess<Content>?, _ addition: String = "") {
      guard let guess else { return }
      findings.append(
        Finding(subject: subject, guess: "\(guess.value)", confidence: guess.confidence, reason: guess.reason + addition))
    }
    note("rows", list.items)
    note("paging", list.paging)
    note("page size", list.size)
    note("total", list.total, draft.total == nil ? "; it is not used" : "")
    if let doubt = draft.doubt {
      note("end", Guess("no walk is complete: \(doubt)"))
    } else if list.total == nil, list.more == nil, !list.paging.value.isNamed, list.paging.value != .whole {
      note("end", Guess("a page without rows", .weak, "no total is announced"))
    }
    note("id", list.key ?? Guess(FieldPath(draft.key), .weak, "no single field differs in every row"))
    note("title", list.title)
    note("search", list.search, draft.search == nil ? "; the walk searches" : "")
    return findings
  }
}

extension WebAddress {
  /// The folder that all of `addresses` are in.
  static func base(of addresses: [WebAddress]) -> WebAddress {
    let first = addresses[0]
    let folders = addresses.map { address -> [Substring] in
      let parts = address.path.split(separator: "/", omittingEmptySubsequences: false).dropLast(
        address.path.hasSuffix("/") ? 2 : 1)
      return Array(parts)
    }
    let shared = folders.dropFirst().reduce(folders[0]) { shared, folder in
      zip(shared, folder).prefix { $0 == $1 }.map(\.0)
    }
    var base = first
    base.query = nil
    base.path = shared.joined(separator: "/") + "/"
    return base
  }
}
