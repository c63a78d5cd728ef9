import Testing

@testable import AggregatorCore

@Suite("Names of secrets")
struct SecretNameTests {
  @Test(
    "names of secrets are recognized with any joints between their words, and at the end of a longer name",
    arguments: [
      "api_key", "Api-Key", "apiKey", "hapikey", "access_token", "client_secret", "X-Amz-Signature", "X-Goog-Credential", "AWSAccessKeyId",
      "jsessionid", "pass", "pwd", "x_auth", "my_subscription_key",
      "registrationkey", "partner_key", "dev_key", "devkey", "developerkey", "mykey", "wskey", "oauth_signature", "api_key2", "apiKeyV2",
    ])
  func usual(name: String) {
    for value in [nil, "1", "abc", "9f8e7d6c5b4a"] { #expect(SecretName.isUsual(name, holding: value)) }
  }

  @Test(
    "a name that other things have, too, leaves a doubt: then a short number or word is not a secret",
    arguments: [
      "key", "token", "sig", "appid", "sid", "code", "token_id", "csrf", "xsrf", "cookie", "ticket", "otp", "pin", "pw", "cred", "sas",
      "license", "nonce", "x.key", "site_key", "csrf_token", "key1",
    ])
  func doubtful(name: String) {
    for value in ["440", "1623730", "name", "popular", "md5", "", "created_at", "PROJ-123", "2026-11-23"] {
      #expect(!SecretName.isUsual(name, holding: value), "\(value)")
    }
    for value in [nil, "KEY", "$KEY", "16237301", "t0k-of", "abcdefgh", Secret.mask] {
      #expect(SecretName.isUsual(name, holding: value), "\(value ?? "")")
    }
  }

  @Test(
    "names of places in a list, and of anything else, are not names of secrets",
    arguments: [
      "next_page_token", "page_token", "pageToken", "continuation_token", "cursor", "$skiptoken", "pagination_token", "sort_key", "monkey",
      "tokens", "author", "keyword", "country_code", "start_key", "ExclusiveStartKey", "sync_token", "level2", "value",
    ])
  func others(name: String) { #expect(!SecretName.isUsual(name, holding: "9f8e7d6c5b4a")) }

  @Test("secret headers are recognized by name; those of pages and proxies are told apart, and those of places do not count")
  func headers() {
    for name in [
      "Authorization", "X-Api-Key", "X-RapidAPI-Key", "PRIVATE-TOKEN", "Token", "X-Auth", "X-Session", "X-Nextcloud-Token", "X-Api-Key-V2",
      "X-Token-Value", "X-User-Pass", "X-Goog-Iap-Jwt-Assertion",
    ] {
      #expect(SecretName.isUsual(header: name), "\(name)")
    }
    #expect(!SecretName.isUsual(header: "X-License", holding: "mit") && SecretName.isUsual(header: "X-License", holding: "9f8e7d6c"))
    for name in ["X-CSRF-Token", "Cookie", "Set-Cookie", "Proxy-Authorization"] {
      #expect(!SecretName.isUsual(header: name) && SecretName.isOfSession(header: name), "\(name)")
    }
    for name in ["Idempotency-Key", "X-Next-Page-Token", "X-Continuation-Token", "X-Cursor", "Accept", "X-Tenant"] {
      #expect(!SecretName.isUsual(header: name) && !SecretName.isOfSession(header: name), "\(name)")
    }
  }

  @Test(
    "secrets are also found in the parameters of a path",
    arguments: [
      ("/list;jsessionid=4F2A9C", "/list", "/list;jsessionid=•••"), ("/a;v=2;JSESSIONID=4F2A9C/b", "/a;v=2/b", "/a;v=2;JSESSIONID=•••/b"),
      ("/a;%6Bey=4F2A9C;", "/a;", "/a;%6Bey=•••;"), ("/a%3Bjsessionid=4F2A9C/b", "/a/b", "/a%3Bjsessionid=•••/b"),
      ("/a%3bv=2%2F;x", "/a%3bv=2%2F;x", "/a%3bv=2%2F;x"), ("/a;key=en/;x", "/a;key=en/;x", "/a;key=en/;x"), ("/", "/", "/"),
    ])
  func paths(path: String, clean: String, masked: String) {
    #expect(SecretName.hidden(inPath: path) == clean)
    #expect(SecretName.hidden(inPath: path, leaving: Secret.mask) == masked)
    #expect(SecretName.parameters(inPath: path).map(\.value) == (clean == path ? [] : ["4F2A9C"]))
  }

  @Test(
    "secrets are found among the items of a query, which may be joined by semicolons",
    arguments: [
      ("limit=5&api_key=4F2A9C", "limit=5", "limit=5&api_key=KEY"), ("api_key=4F2A9C&limit=5", "limit=5", "api_key=KEY&limit=5"),
      ("limit=5;api_key=4F2A9C", "limit=5", "limit=5;api_key=KEY"), ("limit=5%3Bapi_key=4F2A9C", "limit=5", "limit=5%3Bapi_key=KEY"),
      ("fields=name;password&a=%3B", "fields=name;password&a=%3B", "fields=name;password&a=%3B"),
      ("u=http://a/?sig=4F2A9C#b", "u=http://a/#b", "u=http://a/?sig=KEY#b"),
    ])
  func queries(query: String, clean: String, masked: String) {
    #expect(SecretName.hidden(inQuery: query, leaving: nil) { SecretName.isUsual($0, holding: $1) } == clean)
    #expect(SecretName.hidden(inQuery: query, leaving: "KEY") { SecretName.isUsual($0, holding: $1) } == masked)
  }

  @Test(
    "secrets are found in the addresses of a text, and the rest of the text stays",
    arguments: [
      ("<https://a/l?page=2&api_key=4F2A9C>; rel=\"next\"", "<https://a/l?page=2&api_key=KEY>; rel=\"next\""),
      ("see <a href=\"/x?a=1&amp;api_key=4F2A9C\">b</a>", "see <a href=\"/x?a=1&amp;api_key=KEY\">b</a>"),
      ("https://a/#access_token=4F2A9C", "https://a/#access_token=KEY"), ("what? no = yes; 100%", "what? no = yes; 100%"), ("", ""),
    ])
  func texts(text: String, masked: String) {
    #expect(SecretName.hidden(inText: text, leaving: "KEY") { name, _ in SecretName.isCertain(name) } == masked)
    let found = SecretName.items(inText: text).filter { SecretName.isCertain($0.name) }
    #expect(found.map(\.value) == (text == masked ? [] : ["4F2A9C"]))
  }
}

@Suite("Secrets")
struct SecretTests {
  private let secret = Secret("hunter2 é")

  private func dumped(_ value: some Any) -> String {
    var text = ""
    dump(value, to: &text)
    return text
  }

  @Test("secrets are masked in every way of printing them, alone or inside another value")
  func printing() throws {
    var request = try HTTPRequest.to("http://a/", query: [.init("key", .secret(secret))])
    request.headers = [.init("X-Key", .secret(secret))]
    let client = Client(request.address, over: Silent(), query: request.query, headers: request.headers)
    let settings = Settings(declared: [Setting("KEY", .secret, "a key")], flags: ["KEY": secret.reveal()])
    let values: [Any] = [
      secret, Optional(secret) as Any, [secret], ["a": secret], request, request.query, Event.requestSent(request), client, settings,
      SourceError(.refusedKey, "the key \(secret) was refused"), Result<Secret, any Error>.success(secret),
    ]
    for value in values {
      for text in ["\(value)", String(describing: value), String(reflecting: value), dumped(value)] {
        #expect(!text.contains("hunter2"), "\(type(of: value))")
      }
    }
  }

  private struct Silent: Transport {
    func send(_ request: HTTPRequest) async throws -> HTTPResponse { HTTPResponse(status: 204) }
  }

  @Test("secrets are sent unmasked, and masked in the address that is shown")
  func wire() throws {
    let request = try HTTPRequest.to("http://a/", query: [.init("key", .secret(secret)), .init("q", "1")])
    #expect(request.wireAddress.description == "http://a/?key=hunter2%20%C3%A9&q=1")
    #expect(request.shownAddress == "http://a/?key=•••&q=1")
    #expect(request.secrets == [secret])
  }
}
