// swift-tools-version: 6.2
import PackageDescription

/// The rooms of Sources, and the folders in each. The others lie beside the rooms: what everything knows, the sources, and the program.
let rooms: [String: Set] = [
  // How rows are got: described services, programs, logins, recordings, transports.
  "Access": ["CurlTransport", "Logins", "Programs", "Recordings", "Services", "URLSessionTransport"],
  // What is compiled as C, and libraries that are opened on first use.
  "C": ["CCurl", "CMicrohttpd", "CPages", "CPostgres", "CSQLite", "CTemplates", "CText", "CXML", "CYAML", "CZstd"],
  // Where somebody asks: a terminal, a browser, a program, a model, an app.
  "Faces": ["App", "AuthorsFace", "Browse", "BrowseFace", "Command", "Feed", "MCP", "MCPFace", "Serve", "ServeFace"],
  // How bytes become records, and records become bytes, files, pictures and cells.
  "Formats": ["Bodies", "Exports", "HTML", "Pictures", "Presentation", "RecordFormats", "Terminal"],
  // What authors of sources and of stores need.
  "Kit": ["Authoring", "SourceTesting", "SourceTestingTraits", "StoreTesting"],
  "Stores": ["PostgresStore", "Store", "StoreTables"],
]

/// The room of a folder, as the beginning of a path; empty for a folder beside the rooms.
func room(of folder: String) -> String { rooms.first { $0.value.contains(folder) }.map { "\($0.key)/" } ?? "" }

/// Makes a module: its folder, and the modules it knows.
func module(_ name: String, _ folder: String? = nil, knows dependencies: [Target.Dependency] = []) -> Target {
  let folder = folder ?? name
  return .target(
    name: name, dependencies: dependencies, path: "Sources/\(room(of: folder))\(folder)",
    exclude: withReadMe.contains(folder) ? ["README.md"] : [])
}

/// The folders of modules that explain themselves to those who change them.
let withReadMe: Set = [
  "Asking", "Authoring", "Browse", "Core", "Platform", "PostgresStore", "Programs", "Serve", "Services", "Store", "Terminal",
]

/// Makes the targets of a source. Its module knows Core and `others`; its bundle has what
/// is compiled in: a copy of its records, a recording of its service, and `more`.
func source(_ name: String, knows others: [Target.Dependency] = [], embedding more: [String] = []) -> [Target] {
  let folder = "Sources/Sources-\(name)"
  return [
    .target(name: name, dependencies: ["AggregatorCore", .byName(name: "\(name)Bundle")] + others, path: folder, exclude: ["Bundle"]),
    .target(
      name: "\(name)Bundle", path: "\(folder)/Bundle", exclude: ["\(name.lowercased()).json", "\(name.lowercased()).har"] + more),
  ]
}

/// Makes the tests of one module, which lie in the same room.
func tests(of name: String, knows dependencies: [Target.Dependency] = [], exclude: [String] = []) -> Target {
  let folder = name == "AggregatorCommand" ? "Command" : name
  return .testTarget(
    name: "\(name)Tests", dependencies: [.byName(name: name), "Platform"] + dependencies, path: "Tests/\(room(of: folder))\(name)Tests",
    exclude: exclude)
}

let package = Package(
  name: "aggregator",
  platforms: [.macOS(.v15), .iOS(.v18)],
  // Ten products, and ten names to promise. What else a package can import comes with the product that needs it.
  products: [
    .executable(name: "aggregator", targets: ["aggregator"]),
    // For an app: all of the core, lists for screens, a store, and the four sources.
    .library(name: "AggregatorApp", targets: ["AggregatorApp", "Countries", "Feed", "Heroes", "Products", "Store", "Users"]),
    // For a command with sources of one's own.
    .library(name: "AggregatorCommand", targets: ["AggregatorCommand", "Countries", "CurlTransport", "Heroes", "Products", "Users"]),
    // What such a command takes beside, each by itself, so that a program compiles and links no more than it takes.
    .library(name: "AuthorsFace", targets: ["AuthorsFace"]),
    .library(name: "BrowseFace", targets: ["BrowseFace"]),
    .library(name: "MCPFace", targets: ["MCPFace"]),
    .library(name: "ServeFace", targets: ["ServeFace"]),
    // For a source, by hand, with HTML or by a manifest; and for a program that asks sources.
    .library(name: "AggregatorCore", targets: ["AggregatorCore", "Asking", "HTML", "Services"]),
    // For the tests of a source, and of a store.
    .library(name: "SourceTesting", targets: ["SourceTesting", "SourceTestingTraits"]),
    .library(name: "StoreTesting", targets: ["StoreTesting"]),
  ],
  targets: [
    .executableTarget(
      name: "aggregator",
      dependencies: [
        "AggregatorCommand", "AuthorsFace", "BrowseFace", "Countries", "Heroes", "MCPFace", "Products", "ServeFace", "Users",
      ]),
    // The command: how its lines are read and explained, its streams, its questions to sources, and the commands that every program has.
    .target(
      name: "AggregatorCommand",
      dependencies: [
        "AggregatorCore", "Asking", "Bodies", "CShells", "CurlTransport", "Exports", "Logins", "Pictures", "Platform", "PostgresStore",
        "Presentation", "Programs", "RecordFormats", "Recordings", "Services", "Store", "StoreTables", "Terminal",
      ],
      path: "Sources/Faces/Command", exclude: ["README.md", "Shells"]),
    // The scripts that shells load to complete commands.
    .target(
      name: "CShells", path: "Sources/Faces/Command/Shells", exclude: ["completions.bash", "completions.fish", "completions.zsh"]),

    // What a program takes beside: the commands of authors, and those that begin another face.
    module(
      "AuthorsFace",
      knows: [
        "AggregatorCommand", "AggregatorCore", "Asking", "Authoring", "Logins", "Platform", "Programs", "RecordFormats", "Recordings",
        "Services",
      ]),
    module(
      "BrowseFace",
      knows: [
        "AggregatorCommand", "AggregatorCore", "Asking", "Browse", "Exports", "Pictures", "Platform", "Presentation", "RecordFormats",
        "Terminal",
      ]),
    module(
      "MCPFace",
      knows: [
        "AggregatorCommand", "AggregatorCore", "Asking", "MCP", "Platform", "PostgresStore", "RecordFormats", "Recordings", "Store",
      ]),
    module("ServeFace", knows: ["AggregatorCommand", "AggregatorCore", "Asking", "Platform", "Serve", "Services", "Store"]),

    // The one import of the system, and the functions on its files, descriptors and threads.
    module("Platform"),
    module("AggregatorCore", "Core", knows: ["CText", "Platform"]),
    // Unicode tables: constant C arrays cost nothing at start and compile at once.
    module("CText"),
    // Formats other than JSON, read as JSON: csv, ndjson, XML, YAML; and the libraries that read the last two, opened on first use.
    module("Bodies", knows: ["AggregatorCore", "CXML", "CYAML", "Platform"]),
    module("CXML"),
    module("CYAML"),
    // Records as JSON, csv and more for programs, without a terminal; and as tables and cards for people.
    module("RecordFormats", knows: ["AggregatorCore", "Asking", "CPages"]),
    // Records as files that say what they are: Parquet, SQLite, a page, Markdown.
    module("Exports", knows: ["AggregatorCore", "Asking", "CPages", "CZstd", "Platform", "RecordFormats", "Store"]),
    module("CZstd"),
    // What pages have beside HTML, compiled in: those of a server, and one in a file.
    .target(
      name: "CPages", path: "Sources/C/CPages", exclude: ["file.css", "file.js", "icon.svg", "serve.css", "serve.js", "shared.css"]),
    module("Presentation", knows: ["AggregatorCore", "Asking", "RecordFormats", "Terminal"]),
    module("Terminal", knows: ["CText", "Platform"]),
    module("Browse", knows: ["AggregatorCore", "Asking", "Feed", "Platform", "Presentation", "RecordFormats", "Terminal"]),
    // The same answers over HTTP; and the server below them, opened on first use.
    module(
      "Serve",
      knows: [
        "AggregatorCore", "Asking", "CMicrohttpd", "CPages", "MCP", "Pictures", "Platform", "RecordFormats", "StoreTables",
      ]),
    module("CMicrohttpd"),
    // The same answers for programs that speak the Model Context Protocol.
    module("MCP", knows: ["AggregatorCore", "Asking", "Platform", "RecordFormats", "StoreTables"]),

    module("CurlTransport", knows: ["AggregatorCore", "CCurl", "Platform"]),
    module("CCurl"),
    // The one module that imports Foundation: a command must not link it.
    module("URLSessionTransport", knows: ["AggregatorCore"]),
    // The one module that an app imports.
    module("AggregatorApp", "App", knows: ["AggregatorCore", "Asking", "Feed", "Pictures", "Store", "URLSessionTransport"]),

    // The tables of stores in databases, each described once.
    module("StoreTables", knows: ["AggregatorCore"]),
    module("Store", knows: ["AggregatorCore", "CSQLite", "Platform", "StoreTables"]),
    module("CSQLite"),
    module("PostgresStore", knows: ["AggregatorCore", "CPostgres", "Platform", "StoreTables"]),
    module("CPostgres"),
    module("Pictures", knows: ["AggregatorCore", "Platform"]),
    // HTML to plain text, for sources whose service sends it.
    module("HTML", knows: ["AggregatorCore", "CText"]),
    // Recordings of services: written, read and replayed.
    module("Recordings", knows: ["AggregatorCore", "Bodies", "Platform"]),
    // Sources that are programs: started, read and ended within bounds.
    module("Programs", knows: ["AggregatorCore", "Bodies", "Platform"]),
    // Logins by OAuth: tokens are got, kept and renewed.
    module("Logins", knows: ["AggregatorCore", "Platform"]),
    // Sources that a file describes.
    module("Services", knows: ["AggregatorCore", "Bodies", "HTML", "Logins", "Platform", "Programs"]),
    // The part that all faces share: an ask goes in, an answer comes out.
    module("Asking", knows: ["AggregatorCore", "Platform", "StoreTables"]),
    // The part of a source that a screen needs, without a screen.
    module("Feed", knows: ["AggregatorCore", "Asking"]),

    // Describes a service from its answers, imitates it, verifies sources and writes
    // new ones. It uses no test framework, since the command runs it too.
    module("Authoring", knows: ["AggregatorCore", "Bodies", "CTemplates", "Logins", "Platform", "Programs", "Recordings", "Services"]),
    // The templates of new sources (Examples/template), compiled in.
    module("CTemplates"),
    // The kit for authors: all of that, and a stand-in server and a stub for their tests.
    module("SourceTesting", knows: ["AggregatorCore", "Authoring", "Platform", "Recordings", "Services"]),
    module("SourceTestingTraits", knows: ["AggregatorCore", "SourceTesting"]),
    // The laws of stores: a kit of its own, since no command runs it.
    module("StoreTesting", knows: ["AggregatorCore"]),

    .testTarget(name: "PlatformTests", dependencies: ["Platform", "ScratchFolders"]),
    tests(of: "Bodies", knows: ["AggregatorCore", "ProcessorTime"]),
    tests(of: "AggregatorCore", knows: ["Asking", "Ports", "ProcessorTime", "ScratchFolders", "SourceTesting", "TextDigests"]),
    tests(of: "HTML", knows: ["AggregatorCore", "ProcessorTime", "SourceTesting"]),
    tests(
      of: "Services", knows: ["AggregatorCore", "Authoring", "Bodies", "Ports", "Recordings", "ScratchFolders", "SourceTesting"],
      exclude: ["Golden", "odd_services.py", "reference.py", "services.py"]),
    tests(
      of: "Programs", knows: ["AggregatorCore", "Asking", "ScratchFolders", "Services", "SourceTesting", "Store"]),
    tests(of: "Logins", knows: ["AggregatorCore", "ScratchFolders", "SourceTesting"]),
    tests(
      of: "Authoring",
      knows: ["AggregatorCore", "Bodies", "Ports", "Recordings", "ScratchFolders", "Services", "SourceTesting"],
      exclude: ["Guesses/Recordings/Archives", "Drafts/Recordings"]),
    tests(
      of: "Asking",
      knows: [
        "AggregatorCore", "RecordFormats", "Services", "SourceTesting", "Store", "StoreTables", "StoreTesting", "TestServices",
      ]),
    tests(
      of: "RecordFormats",
      knows: ["AggregatorCore", "Asking", "Countries", "Heroes", "Products", "SourceTesting", "Store", "Users"],
      exclude: ["Golden"]),
    tests(of: "Exports", knows: ["AggregatorCore", "Asking", "RecordFormats", "Store"]),
    tests(of: "Presentation", knows: ["AggregatorCore", "Asking", "RecordFormats", "Terminal"]),
    tests(of: "Browse", knows: ["AggregatorCore", "Asking", "Feed", "Presentation", "RecordFormats", "SourceTesting", "Terminal"]),
    tests(
      of: "Serve",
      knows: ["AggregatorCore", "Asking", "RecordFormats", "ScratchFolders", "SourceTesting", "Store", "TestServices"],
      exclude: ["Golden"]),
    tests(
      of: "MCP", knows: ["AggregatorCore", "Asking", "RecordFormats", "ScratchFolders", "SourceTesting", "Store", "TestServices"]),
    tests(of: "Terminal", knows: ["AggregatorCore", "SourceTesting", "TextDigests"]),
    tests(
      of: "AggregatorCommand",
      knows: [
        "AggregatorCore", "Asking", "AuthorsFace", "Bodies", "BrowseFace", "CSpawn", "Countries", "Heroes", "LooseSource", "MCPFace",
        "ProcessorTime", "Products", "RecordFormats", "ScratchFolders", "ServeFace", "SourceTesting", "Store", "StoreTables", "Terminal",
        "TestServices", "Users", "aggregator", "loose-probe",
      ],
      exclude: [
        "OtherAuthor", "Golden/Screens", "Golden/answers.txt", "Golden/errors.txt", "Golden/half-remembered.tsv",
        "Golden/half-remembered-parts.tsv", "Golden/half-remembered-sources.tsv", "Golden/phrases.txt", "Golden/tables.txt",
      ]),
    tests(of: "Countries", knows: ["AggregatorCore", "SourceTesting"]),
    tests(of: "Heroes", knows: ["AggregatorCore", "CurlTransport", "SourceTesting"]),
    tests(of: "Products", knows: ["AggregatorCore", "SourceTesting"]),
    tests(of: "Users", knows: ["AggregatorCore", "SourceTesting"]),
    tests(of: "Feed", knows: ["AggregatorCore", "Asking", "Ports", "SourceTesting"]),
    tests(of: "Pictures", knows: ["AggregatorCore", "ScratchFolders", "SourceTesting"]),
    tests(of: "CurlTransport", knows: ["AggregatorCore", "SourceTesting", "URLSessionTransport"]),
    tests(
      of: "SourceTesting",
      knows: [
        "AggregatorApp", "AggregatorCore", "Asking", "Countries", "CurlTransport", "Feed", "Ports", "ScratchFolders",
        "Authoring", "Recordings", "Services", "SourceTestingTraits", "StoreTesting",
      ],
      exclude: ["Guides/Fixtures", "Traits/Fixtures"]),
    tests(
      of: "Store",
      knows: [
        "AggregatorCommand", "AggregatorCore", "Asking", "CPowerCut", "CSpawn", "LooseSource", "ScratchFolders", "SourceTesting",
        "StoreTables", "StoreTesting",
        "TestServers", "store-probe",
      ]),
    tests(
      of: "PostgresStore",
      knows: [
        "AggregatorCommand", "AggregatorCore", "CSpawn", "LooseSource", "ScratchFolders", "SourceTesting", "Store", "StoreTables",
        "StoreTesting", "TestServers",
      ]),
    tests(of: "StoreTesting", knows: ["AggregatorCore", "ScratchFolders"]),
    // Processes that the tests of Store start and kill.
    .executableTarget(name: "store-probe", dependencies: ["AggregatorCore", "Platform", "Store"], path: "Tests/Support/store-probe"),
    .target(name: "TextDigests", dependencies: ["AggregatorCore"], path: "Tests/Support/TextDigests"),
    // Correct sources over invented services, one for each way of paging; the saboteurs are broken copies of them.
    .target(name: "Ports", dependencies: ["AggregatorCore", "Authoring", "Recordings", "SourceTesting"], path: "Tests/Support/Ports"),
    // Two services whose answers a test holds, breaks and mends.
    .target(name: "TestServices", dependencies: ["AggregatorCore", "SourceTesting"], path: "Tests/Support/TestServices"),
    .target(name: "ProcessorTime", dependencies: ["Platform"], path: "Tests/Support/ProcessorTime"),
    .target(
      name: "TestServers", dependencies: ["AggregatorCore", "Platform", "PostgresStore", "Store"], path: "Tests/Support/TestServers"),
    .target(name: "ScratchFolders", dependencies: ["AggregatorCore", "Platform"], path: "Tests/Support/ScratchFolders"),
    // A source whose fields are known only at run time, and the command over it.
    .target(name: "LooseSource", dependencies: ["AggregatorCore"], path: "Tests/Support/LooseSource"),
    .executableTarget(
      name: "loose-probe", dependencies: ["AggregatorCommand", "AuthorsFace", "LooseSource"], path: "Tests/Support/loose-probe"),
    // A file system for SQLite whose last writes a test can lose.
    .target(name: "CPowerCut", path: "Tests/Support/CPowerCut"),
    // Starts programs with a terminal and descriptors that a test chooses.
    .target(name: "CSpawn", path: "Tests/Support/CSpawn"),
    // What outsiders feed to the program, as targets of a fuzzer; and the program that libFuzzer drives.
    .target(
      name: "FuzzTargets",
      dependencies: [
        "AggregatorCore", "Asking", "Bodies", "HTML", "MCP", "Platform", "Programs", "Recordings", "Serve", "Services", "Terminal",
      ],
      path: "Tests/Support/FuzzTargets"),
    .testTarget(name: "FuzzTargetsTests", dependencies: ["FuzzTargets", "Platform"], path: "Tests/Fuzzing", exclude: ["Corpora"]),
    // Histories of nights, services, stores and processes, from a seed; and the order of tasks, taken from Swift's pool.
    .executableTarget(
      name: "simulator", dependencies: ["AggregatorCore", "CScheduler", "Platform", "Recordings", "Services"], path: "Tests/Simulator"),
    .target(name: "CScheduler", path: "Tests/Support/CScheduler"),
    .executableTarget(name: "json-probe", dependencies: ["AggregatorCore", "Platform"], path: "Tests/Support/json-probe"),
  ] + source("Countries", embedding: ["names.txt"]) + source("Heroes", knows: ["HTML"]) + source("Products")
    + source("Users"),
  swiftLanguageModes: [.v6],
  cLanguageStandard: .gnu2x  // what #embed needs
)

// The fuzzer's program has no beginning of its own, so that it is built only where Scripts/fuzz asks for it.
if Context.environment["AGGREGATOR_FUZZER_BUILD"] != nil {
  package.targets.append(
    .executableTarget(name: "fuzz", dependencies: ["CScheduler", "FuzzTargets", "Platform"], path: "Tests/Support/fuzz"))
}

// Modules in which neither a start nor a large list spends its time: a compiler that does not optimize them shortens a first build. Scripts/build
// asks for that when it builds a checkout. Packages that depend on this one, and what is installed, are optimized completely.
let isCheckout = Context.environment["AGGREGATOR_CHECKOUT_BUILD"] != nil
let rarelyRun = ["Authoring", "Browse", "Exports", "Feed", "Logins", "MCP", "Pictures", "PostgresStore", "Recordings", "Serve"]

// Modules in which tests spend their time: ./test asks for them to be optimized, although it builds everything else for debugging.
let isTested = Context.environment["AGGREGATOR_TEST_BUILD"] != nil
let tested = ["AggregatorCore", "Authoring", "Bodies", "HTML", "Programs", "Recordings", "Services", "SourceTesting", "simulator"]

// Language mode 6 checks concurrency completely; these are the other features of the next mode.
for target in package.targets {
  target.swiftSettings = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  ]
  if isTested, tested.contains(target.name) { target.swiftSettings?.append(.unsafeFlags(["-O"], .when(configuration: .debug))) }
  if isCheckout, rarelyRun.contains(target.name) { target.swiftSettings?.append(.unsafeFlags(["-Onone"])) }
}
