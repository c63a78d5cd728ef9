import AggregatorCommand
import AggregatorCore
import Asking
import Authoring
import Logins
import Services

/// A list below the records of another source: `add 'https://api.example.com/projects/{projects.id}/tasks'`.
extension AddCommand {
  /// The most records of the parent below which a list is looked for.
  private static let mostParents = 3

  /// Adds the list to the manifest of its parent, whose keys it is asked with.
  static func add(_ address: ChildAddress, _ adding: NewSource) async throws -> ExitCode {
    let invocation = adding.invocation
    if let option = [key, header, data, method].first(where: invocation.has) {
      throw UsageError("--\(option.name) is not used: a list below \(address.parent) is asked for as \(address.parent) is")
    }
    let catalogue = invocation.program.catalogue
    guard let parent = catalogue[address.parent] else {
      throw UsageError("\(Unknown("source", address.parent, among: catalogue.sources.map(\.name)))")
    }
    guard let file = parent.file else {
      throw UsageError("\(parent.name) is built in, and its file cannot have a list below it")
    }
    let contents = try ManifestContents(at: file)
    guard parent.fields.contains(where: { $0.name == address.field }) else {
      throw UsageError("\(Unknown("field of \(parent.name)", address.field, among: parent.fields.map(\.name)))")
    }
    let world = try await invocation.askingWorld(of: [parent])
    let values = try await values(of: address, parent, in: world)
    var trouble: SourceError?
    for value in values {
      guard let text = address.address(below: value) else { continue }
      do {
        let request = try await request(text, contents, in: world, adding)
        let name = try adding.name(of: request)
        if invocation.has(.plan) {
          return try invocation.plan(Probe.plan.map { "\(request.method.rawValue) \(request.address.shown): \($0)" })
        }
        invocation.say("asking \(request.address.host) at most \(Probe.most) times, for the list below \(value)")
        let (probe, first) = try await Probe(name, asking: request, in: world, announcing: invocation.announce).begin()
        let draft = try await probe.draft(from: first, choosing: adding.choose, vouching: adding.vouch)
        return try await adding.add(draft, below: address, in: contents)
      } catch let error as SourceError where error.kind == .malformed || error.kind == .noSuchAddress {
        // Nothing may be below this one.
        trouble = trouble ?? error
      }
    }
    throw trouble
      ?? SourceError(.notStored, "\(parent.name) has no record with \(address.field), below which a list could be looked for")
  }

  /// Returns the values of the field in the first records of the parent.
  private static func values(of address: ChildAddress, _ parent: SourceDescriptor, in world: World) async throws -> [String] {
    func values<Item>(_ session: some SourceSession<Item>) async throws -> [String] {
      guard let field = session.schema.fields.first(where: { $0.name == address.field }) else { return [] }
      var (walk, values) = (Walk(session.answering), [String]())
      while values.count < mostParents, let items = try await walk.nextPage() {
        for item in items {
          let text = field.value(item).plainText
          if !text.isEmpty, !values.contains(text) { values.append(text) }
        }
      }
      return Array(values.prefix(mostParents))
    }
    return try await values(parent.open(in: world))
  }

  /// Returns the request for the list below a record, with the parent's keys.
  private static func request(_ text: String, _ contents: ManifestContents, in world: World, _ adding: NewSource) async throws
    -> NamedRequest
  {
    var request = try NamedRequest(address: text)
    let manifest = contents.manifest
    guard let base = manifest.address?.defaultValue.flatMap({ WebAddress($0) }), base.origin == request.address.origin else {
      throw SourceError(
        .settings, "the address is not one of the service in \(manifest.file)", remedy: "type one that begins with its address")
    }
    for header in manifest.headers where header.value.names.isEmpty {
      request.headers.append(.init(header.name, header.value.text))
    }
    for key in manifest.keys {
      guard let carrier = key.carrier else { continue }
      if let value = world.settings.secret(key.setting) {
        request.keys.append(NamedKey(carrier, value))
      } else if key.oauth != nil, let login = try manifest.login(in: world, of: manifest.sources[0].name) {
        request.keys.append(NamedKey(carrier, try await login.token()))
      } else if !key.setting.isOptional {
        throw SourceError(.missingKey, "\(key.setting.name) is not set", remedy: .set([key.setting.name]))
      }
    }
    return try adding.invocation.hinting(request)
  }
}

extension NewSource {
  /// Adds a list to the file of its parent.
  fileprivate func add(_ draft: Draft, below address: ChildAddress, in contents: ManifestContents) async throws -> ExitCode {
    let program = invocation.program
    let bytes = try draft.below(address, in: contents)
    let new = try ManifestContents(bytes, at: contents.manifest.file)
    try program.manifests.check(new, changing: contents, in: program.catalogue, reserved: CommandTable.reserved)
    tell(draft)
    _ = try await replay(draft, draft.contents.manifest)
    if let doubt = draft.doubt, !(try isAddedAllTheSame(draft.name, doubt)) {
      invocation.say("nothing was added")
      return .partial
    }
    try program.manifests.replace(
      contents, with: bytes, allowing: program.manifests.permissions.state(of: contents) == .allowed,
      beside: program.catalogue)
    invocation.say("added \(draft.name) below \(address.parent) in \(contents.manifest.file)")
    invocation.say("now type '\(program.name) \(draft.name) list' or '\(program.name) \(draft.name) sync'")
    return .success
  }
}
