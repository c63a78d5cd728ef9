import AggregatorCore
import Logins

extension OAuth {
  /// Reads the member `oauth` of a key. `texts` are the plain settings of the manifest.
  init(_ node: ManifestNode, _ texts: [Setting]) throws {
    try node.check(["grant", "tokens", "page", "client", "secret", "refresh", "scope", "parameters", "basic", "holder"])
    let grant = try node.member("grant").choice(Grant.allCases)
    let name = try node.member("client").name(of: "setting", among: texts.map(\.name))
    let client = texts.first { $0.name == name } ?? Setting(name, .text, "")
    self.init(grant, tokens: try node.member("tokens").safeAddress(), client: client)
    page = try node["page"]?.safeAddress()
    func setting(_ member: String, _ about: String, optional isOptional: Bool = false) throws -> Setting? {
      try node[member].map { node in copy(of: Setting(try node.settingName(), .secret, about)) { $0.isOptional = isOptional } }
    }
    secret = try setting("secret", "the program's secret for the login")
    // A person who has a token needs no refresh token.
    refresh = try setting("refresh", "your refresh token", optional: true).map { copy(of: $0) { $0.rotates = true } }
    scope = try node["scope"]?.text()
    parameters = try node["parameters"]?.members().map { Member($0.name, try $0.node.text()) } ?? []
    usesBasic = try node["basic"]?.isTrue() ?? false
    holder = try node["holder"]?.path()
    try check(node)
  }

  private func check(_ node: ManifestNode) throws {
    if isDialog, page == nil { throw node.error("a login with \(grant.rawValue) needs \"page\", the address that begins it") }
    if !isDialog, page != nil { throw node.error("a login with \(grant.rawValue) has no page", at: "page") }
    if grant == .refresh, refresh == nil {
      throw node.error("a login with refresh needs \"refresh\", the setting with the refresh token")
    }
    if grant != .refresh, refresh != nil {
      throw node.error("only a login with refresh has a refresh token as a setting", at: "refresh")
    }
    if grant == .client, secret == nil {
      throw node.error("a login with client needs \"secret\", the setting with the program's secret")
    }
    if usesBasic, secret == nil {
      throw node.error("\"basic\" says how a secret is sent, and \"secret\" is missing", at: "basic")
    }
  }

  /// The member as it is read.
  var member: Value {
    .object(leavingOutNil: [
      "grant": .text(grant.rawValue), "tokens": .text(tokens.shown), "page": page.map { .text($0.shown) },
      "client": .text(client.name), "secret": secret.map { .text($0.name) }, "refresh": refresh.map { .text($0.name) },
      "scope": scope.map(Value.text),
      "parameters": parameters.isEmpty
        ? nil : .object(parameters.map { AggregatorCore.Member(name: $0.name, value: .text($0.value)) }),
      "basic": usesBasic ? .bool(true) : nil, "holder": holder.map { .text($0.text) },
    ])
  }
}

extension ManifestNode {
  /// Reads an address to which secrets may be sent.
  fileprivate func safeAddress() throws -> WebAddress {
    // No error repeats the text itself, which may contain a password.
    guard let address = WebAddress(try text()) else {
      throw error("expected an address such as https://login.example.com/token")
    }
    guard address.isSafe else { throw error("an address for logins begins with https://") }
    return address
  }
}
