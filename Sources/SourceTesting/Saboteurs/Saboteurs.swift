/// Every saboteur there is: at least one for each law and one for each hazard.
public enum Saboteurs {
  public static var all: [Saboteur] { lawbreakers + weatherbeaten + faintHearted + lookingNowhere + [talkative] }
}
