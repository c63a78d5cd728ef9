extension Option {
  static let sort = Option(
    "sort", takes: .required(.order), repeatable: true, "sort by a field, or several with commas; -FIELD descends")
  static let `where` = Option(
    "where", takes: .required(.condition), repeatable: true, "print only records that meet this; also FIELD!=VALUE and FIELD~TEXT")
  static let require = Option(
    "require", takes: .required(.requirements), about: .origin,
    "exit 3 unless the answer is all of these: complete, live, found, 'age<1d' (with commas)")
  static let plan = Option("plan", about: .origin, "say what would be asked and what budget it takes; send nothing")
}
