extension Act {
  static let commandLine = Act(
    "Commands and arguments",
    [
      Scene("aggregator countrie list"), Scene("aggregator list countries"), Scene("aggregator heroes"), Scene("aggregator source"),
      Scene("aggregator countries lst"), Scene("aggregator countries list germany"), Scene("aggregator cache clera"),
      Scene("aggregator countries show"), Scene("aggregator countries show de zz --offline"), Scene("aggregator countries search ' '"),
      Scene("aggregator countries search \"$(printf '\\342\\200\\213')\"", "a text that shows nothing"),
      Scene("aggregator import"), Scene("aggregator import users"), Scene("aggregator import users a.csv b.csv"),
      Scene("aggregator import user a.csv"), Scene("aggregator help countris"), Scene("aggregator users sync"),
      Scene("aggregator config set COUNTRIES_URL https://example.com/"), Scene("aggregator config unset COUNTRIES_URL"),
      Scene("aggregator search"), Scene("aggregator doctor now"),
      Scene("aggregator browse"), Scene("aggregator browse heros --plain"), Scene("aggregator browse heroes users"),
      Scene("aggregator browse --offline --live"),
      Scene("aggregator config set COUNTRY_URL"), Scene("aggregator config set COUNTRIES_URL </dev/null"),
      Scene("aggregator import users \"$(printf 'a\\377.csv')\""),
      Scene("COUNTRIES_URL=\"$(printf '\\377')\" aggregator countries list"),
    ])

  static let options = Act(
    "Options",
    [
      Scene("aggregator countries list --limti 3"), Scene("aggregator countries show de --limit 3"),
      Scene("aggregator countries list --limit"), Scene("aggregator countries list --quiet=yes"),
      Scene("aggregator countries list --limit 3 --limit 4"), Scene("aggregator countries list --limit x"),
      Scene("aggregator countries deal --seed x"), Scene("aggregator countries list --timeout soon"),
      Scene("aggregator countries list --format xml"), Scene("aggregator countries list --color sometimes"),
      Scene("aggregator countries list --all --limit 3"), Scene("aggregator countries list --offline --live"),
      Scene("aggregator countries list --record a --replay b"), Scene("aggregator countries list --fields nmae"),
      Scene("aggregator countries list --where nmae=x"), Scene("aggregator countries list --where name"),
      Scene("aggregator countries list --where 'region=EU capital=Paris'"),
      Scene("aggregator users list --sort name"), Scene("aggregator countries list --sort nmae"),
      Scene("aggregator countries list --require new"), Scene("aggregator countries list --plan --record a"),
      Scene("aggregator countries list -n"), Scene("aggregator countries list -oxml"), Scene("aggregator countries list -o countries.xls"),
      Scene("aggregator countries list -o nowhere/countries.csv"),
      Scene("aggregator countries list --fields ,"), Scene("aggregator users search ada --more 2 --offline"),
    ])

  static let settings = Act(
    "Settings",
    [
      Scene("COUNTRIES_URL=example.com aggregator countries list"), Scene("COUNTRIES_URL='https://a b/' aggregator countries list"),
      Scene("COUNTRIES_URL=https://ada:word@example.com/ aggregator countries list"),
      Scene("COUNTRIES_URL=https:// aggregator countries list"), Scene("PRODUCTS_BUDGET=lots aggregator products list"),
      Scene("echo example.com | aggregator config set COUNTRIES_URL"), Scene("echo lots | aggregator config set PRODUCTS_BUDGET"),
      Scene("printf 'one\\ntwo\\n' | aggregator config set COMIC_VINE_API_KEY"),
      Scene("echo key | HOME= aggregator config set COMIC_VINE_API_KEY"),
      Scene("echo key | aggregator config set COMIC_VINE_API_KEY --config /dev/null/x"),
      Scene("echo key | aggregator config set COMIC_VINE_API_KEY", "the environment has another"),
    ])

  static let keyFiles = Act(
    "Key files",
    [
      Scene("aggregator config --config keys"), Scene("AGGREGATOR_CONFIG=keys aggregator config"), Scene("aggregator config --config ."),
      file("COUNTRIES_URL https://example.com/"), file("# my keys"), file("#import \"other\""), file("#include other"),
      file("#include \"other\""), file("#include \"keys\""), file("1 = 2"), file("A[sdk = 1"),
      file("COUNTRIES_URL = $(HOST"), file("COUNTRIES_URL = $(A)\nA = $(COUNTRIES_URL)"),
      file("COUNTRIES_URL = $(A:upper)"), file("COUNTRIES_URL = https://example.com/"), file("COUNTRIES_URL = example.com"),
      file("COUNTRIES_URI = x", "--offline"), file("COUNTRIES_URL[sdk=x] = y", "--offline"),
      Scene("printf '\\377' >keys; aggregator config --config keys >/dev/null"),
      Scene(
        "aggregator config >/dev/null", files: ["Configuration/Debug.xcconfig": "COMIC_VINE_API_KEY = key\n"],
        before: ["chmod 644 Configuration/*"]),
      Scene(
        "aggregator heroes list", "the key comes from the environment",
        files: ["Configuration/Debug.xcconfig": "COMIC_VINE_BASE_URL = https:/$()/example.com/\n"],
        environment: ["COMIC_VINE_BASE_URL": ""]),
    ])

  /// A key file with this text, and a command that asks for an address that it may give.
  private static func file(_ text: String, _ option: String = "--limit 1") -> Scene {
    Scene(
      "aggregator countries list --config keys \(option)", "keys: \(text.split(separator: "\n").joined(separator: " | "))",
      files: ["keys": "\(text)\n"], environment: ["COUNTRIES_URL": ""], before: ["chmod 600 keys"])
  }
}
