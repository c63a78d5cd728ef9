/// What somebody can do about an error or a notice: each face says it in its own terms, but for words that hold for all of them.
public enum Remedy: Sendable, Hashable {
  /// In words that hold for every face.
  case advice(String)

  // MARK: Settings

  /// Give these settings a value.
  case set([String])
  /// Give a setting an address.
  case setAddress(String)
  /// Set another key; `from` is where the service gives them out.
  case replaceKey(String, from: String? = nil)
  /// See whether a setting is right; nil where nobody knows which.
  case check(String?)
  /// Look at the settings and their values.
  case listSettings
  /// Create the key file that was named, or name another.
  case createKeyFile
  /// The key file of that path counts as trusted once a person names it.
  case trustKeyFile(String)
  /// Compare the description of the source with what the service answers.
  case checkDescription
  /// Allow the file that describes that source, or that file, to use what it asks for.
  case allow(String)

  // MARK: How it is asked

  /// Give the answer more time.
  case allowMoreTime
  /// The service may be asked.
  case askService
  /// The same for a picture.
  case download
  /// What stands in for the service may answer.
  case allowStandIns
  /// See what was sent.
  case showRequest
  /// Record what the recording lacks.
  case record

  // MARK: Records

  /// Look for one by that text, or by some text.
  case find(String?)
  /// Look through the list, which cannot be searched.
  case list
  /// Undo the deletion of the record with that id.
  case restore(String)
  /// Begin to read on at the first record again.
  case startAgain
  /// Bring the rest of the list into the store.
  case sync
  /// Wait until the sync that runs has ended.
  case waitForSync
  /// Bring the whole list into the store again.
  case syncAgain
  /// Forget what is stored and sync, or say that the new key is that of the same account.
  case forgetOrKeepAccount
  /// Ask for more records than the limit allowed.
  case raiseLimit
  /// Read every record before they are ordered.
  case sortEverything
  /// Sort the list that a complete sync has stored.
  case sortStored
  /// Bring the whole list into the store and sort it there.
  case syncToSort
  /// The same, or have it read now.
  case syncOrReadToSort
  /// Have every record counted.
  case count
  /// Read on at the service, for a list that grows by it.
  case readOn
  /// Look at the edits of the record with that id, or of each.
  case tellEdits(String?)
  /// So many rows of a file may be stored as edits.
  case storeAsEdits(Int)
  /// Fetch more before a search.
  case fetchMore
  /// Look at the names of the fields, of that source where it is named.
  case listFields(of: String?)
  /// Name each condition by itself.
  case separateConditions
  /// Ask for records that meet this condition too.
  case addCondition(String)

  // MARK: Files

  /// The file holds records of that source.
  case importInto(String)
  /// Make UTF-8 of the file of that name, which seems to be encoded as `from`.
  case convert(String, from: String)
  /// Say which column holds that field.
  case mapColumn(String)
  /// Write the file in a format that keeps lists apart.
  case exportWhole(of: String)
  /// Write the answer of one source.
  case searchOne(of: String)
}

extension Remedy: ExpressibleByStringInterpolation {
  public init(stringLiteral text: String) { self = .advice(text) }
}

extension Remedy: CustomStringConvertible {
  /// In words that name no face.
  public var description: String {
    switch self {
    case .advice(let text): text
    case .set(let names): "set \(names.joined(separator: " and "))"
    case .setAddress(let name): "set \(name) to an address such as https://example.com/"
    case .replaceKey(let name, let place): "set another \(name)\(place.map { "; get a key at \($0)" } ?? "")"
    case .check(let name?): "check \(name)"
    case .check(nil): "check which address is asked"
    case .listSettings: "look at the settings"
    case .checkDescription: "compare the source's description with the answer"
    case .createKeyFile: "create it, or name another file"
    case .trustKeyFile(let path): "if you trust \(path), name it as the key file"
    case .allow(let name): "look at \(name) and allow it"
    case .allowMoreTime: "allow more time"
    case .askService: "allow the service to be asked"
    case .download: "allow it to be downloaded"
    case .allowStandIns: "allow cached or bundled data"
    case .showRequest: "look at the request"
    case .record: "record it"
    case .find(let text?): "search for \"\(text)\" to find one"
    case .find(nil): "search to find one"
    case .list: "look through the list to find one"
    case .restore(let id): "restore \(id) to undo"
    case .startAgain: "start again at the first record"
    case .sync: "sync to fetch the rest"
    case .waitForSync: "wait for it to end"
    case .syncAgain: "sync to store them again"
    case .forgetOrKeepAccount: "forget what is stored and sync, or say that the account is the same"
    case .raiseLimit: "ask for more to see more"
    case .sortEverything: "sort every record"
    case .sortStored: "sort what the last sync has stored"
    case .syncToSort: "sync, and sort what is stored"
    case .syncOrReadToSort: "sync and sort what is stored, or sort every record"
    case .count: "count every record"
    case .readOn: "read on to fetch more"
    case .tellEdits: "look at what was edited"
    case .storeAsEdits(let count): count == 1 ? "store it as an edit" : "store them as edits"
    case .fetchMore: "fetch more first"
    case .listFields: "look at the list of fields"
    case .separateConditions: "name each condition by itself"
    case .addCondition(let condition): "add the condition \(condition)"
    case .importInto(let source): "import it into \(source)"
    case .convert(_, let encoding): "convert it from \(encoding) to UTF-8"
    case .mapColumn(let field): "say which column holds \(field)"
    case .exportWhole: "write the records as ndjson or csv"
    case .searchOne: "search one source alone"
    }
  }
}

extension Remedy {
  /// The same with its words changed.
  package func rewording(_ change: (String) -> String) -> Remedy {
    if case .advice(let text) = self { .advice(change(text)) } else { self }
  }
}

extension SourceError {
  /// The same with every remedy, also of the sources that could not stand in, in a face's own words; nil of one that it has no use for.
  public func worded(_ words: (Remedy, _ source: String?) -> String?) -> SourceError {
    changing(self) { error in
      error.remedy = remedy.flatMap { words($0, source) }.map { .advice($0) }
      error.others = others.map { $0.worded(words) }
    }
  }
}
