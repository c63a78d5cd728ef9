import Testing

@testable import AggregatorCore

@Suite("What secrets are called")
struct SecretNameTests {
  @Test(
    "is known however its words are joined, and at the end of a longer name",
    arguments: [
      "api_key", "Api-Key", "apiKey", "hapikey", "access_token", "client_secret", "X-Amz-Signature", "X-Goog-Credential", "AWSAccessKeyId",
      "jsessionid", "pass", "pwd", "x_auth", "my_subscription_key",
    ])
  func usual(name: String) {
    for value in [nil, "1", "abc", "9f8e7d6c5b4a"] { #expect(SecretName.isUsual(name, holding: value)) }
  }

  @Test(
    "is in doubt where other things are called so too: a short number or word is none", arguments: ["key", "token", "sig", "appid", "sid"])
  func doubtful(name: String) {
    for value in ["440", "1623730", "name", "popular", "md5", ""] { #expect(!SecretName.isUsual(name, holding: value), "\(value)") }
    for value in [nil, "KEY", "16237301", "t0k-of", "abcdefgh", Secret.mask] {
      #expect(SecretName.isUsual(name, holding: value), "\(value ?? "")")
    }
  }

  @Test(
    "is no name of a place in a list, nor of anything else",
    arguments: [
      "next_page_token", "page_token", "pageToken", "continuation_token", "cursor", "$skiptoken", "pagination_token", "sort_key", "monkey",
      "tokens", "author", "keyword", "code",
    ])
  func others(name: String) { #expect(!SecretName.isUsual(name, holding: "9f8e7d6c5b4a")) }

  @Test("headers have names of their own; a page's and a proxy's are told apart, and places are none")
  func headers() {
    for name in ["Authorization", "X-Api-Key", "X-RapidAPI-Key", "PRIVATE-TOKEN", "Token", "X-Auth", "X-Session", "X-Nextcloud-Token"] {
      #expect(SecretName.isUsual(header: name), "\(name)")
    }
    for name in ["X-CSRF-Token", "Cookie", "Set-Cookie", "Proxy-Authorization"] {
      #expect(!SecretName.isUsual(header: name) && SecretName.isOfSession(header: name), "\(name)")
    }
    for name in ["Idempotency-Key", "X-Next-Page-Token", "X-Continuation-Token", "X-Cursor", "Accept", "X-Tenant"] {
      #expect(!SecretName.isUsual(header: name) && !SecretName.isOfSession(header: name), "\(name)")
    }
  }

  @Test(
    "stands in the parameters of a path too",
    arguments: [
      ("/list;jsessionid=4F2A9C", "/list", "/list;jsessionid=•••"), ("/a;v=2;JSESSIONID=4F2A9C/b", "/a;v=2/b", "/a;v=2;JSESSIONID=•••/b"),
      ("/a;%6Bey=4F2A9C;", "/a;", "/a;%6Bey=•••;"), ("/a;key=en/;x", "/a;key=en/;x", "/a;key=en/;x"), ("/", "/", "/"),
    ])
  func paths(path: String, clean: String, masked: String) {
    #expect(SecretName.hidden(inPath: path) == clean)
    #expect(SecretName.hidden(inPath: path, leaving: Secret.mask) == masked)
    #expect(SecretName.parameters(inPath: path).map(\.value) == (clean == path ? [] : ["4F2A9C"]))
  }
}
