/// The state of a person's login at a service whose tokens are renewed.
package struct LoginState: Sendable {
  /// A text that is the same for all tokens of one account, and another one for another account; nil if it is unknown.
  package var holder: String?
  /// The reason why no token can be had; nil if one can, as far as is known without asking.
  package var trouble: SourceError?
  /// The state in a few words: `logged in, the token ends in 12 min`.
  package var words: String

  package init(holder: String?, trouble: SourceError? = nil, words: String) {
    (self.holder, self.trouble, self.words) = (holder, trouble, words)
  }
}
