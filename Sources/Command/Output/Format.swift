/// How records are printed.
enum Format: String, CaseIterable, Sendable {
  case table, cards, json, ndjson, csv, tsv
}
