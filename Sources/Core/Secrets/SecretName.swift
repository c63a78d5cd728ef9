/// What secrets are called in addresses: whole names, however their words are joined.
package enum SecretName {
  private static let usual: Set<String> = [
    "accesskey", "accesstoken", "apikey", "apisecret", "apitoken", "appid", "appkey", "appsecret", "auth", "authkey", "authtoken",
    "authorization", "bearer", "clientid", "clientkey", "clientsecret", "consumerkey", "consumersecret", "credential", "credentials",
    "hapikey", "idtoken", "jwt", "key", "passwd", "password", "privatekey", "pwd", "refreshtoken", "secret", "secretkey", "session",
    "sessionid", "sessiontoken", "sid", "sig", "signature", "subscriptionkey", "token", "userkey", "usertoken", "xauth",
  ]
  /// Query names that are secret in a configured address: nothing else would be put there.
  private static let configured: Set<String> = [
    "accesscode", "authcode", "code", "hmac", "pass", "passphrase", "securitytoken", "xamzcredential", "xamzsecuritytoken",
    "xamzsignature", "xapikey", "xgoogcredential", "xgoogsignature",
  ]

  /// Whether what is so called is usually a secret.
  package static func isUsual(_ name: String) -> Bool { usual.contains(plain(name)) }

  /// The same of an item in an address that a person has set.
  static func isUsualInSetting(_ name: String) -> Bool { isUsual(name) || configured.contains(plain(name)) }

  /// `Api-Key`, `api_key` and `apiKey` are one name.
  static func plain(_ name: String) -> String { name.lowercased().filter { $0.isLetter || $0.isNumber } }
}
