package io.hypersync.cli.top;

import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** What the screen of {@code top} can show. */
public enum View {
  OVERVIEW('1', "daemons of this host, and how they are"),
  AGENTS('2', "agents, and what each one does"),
  CONFLICTS('3', "where the work of agents overlaps, and how it is undone"),
  HOT('4', "paths that change most now, and what should be local"),
  HOSTS('5', "workers, how far each is and how busy"),
  LOCKS('6', "locks, and who waits for whom"),
  LATENCY('7', "where the time of a change goes"),
  STORAGE('8', "what takes space, and what keeps it"),
  LOG('9', "what is committed, the newest first"),
  FINDINGS('0', "what doctor finds on this host");

  private final char key;
  private final String about;

  View(char key, String about) {
    this.key = key;
    this.about = about;
  }

  /** What it shows, for people. */
  public String about() {
    return about;
  }

  /** What is asked while it is shown, and nothing else. */
  Set<Question> questions() {
    return switch (this) {
      case OVERVIEW, HOSTS, STORAGE, FINDINGS -> EnumSet.of(Question.STATUS);
      case AGENTS -> EnumSet.of(Question.STATUS, Question.HAZARDS, Question.LOG);
      case CONFLICTS -> EnumSet.of(Question.STATUS, Question.HAZARDS);
      case HOT -> EnumSet.of(Question.STATUS, Question.HOT);
      case LOCKS -> EnumSet.of(Question.STATUS, Question.LOCKS);
      case LATENCY -> EnumSet.of(Question.STATUS, Question.STAGES);
      case LOG -> EnumSet.of(Question.STATUS, Question.LOG);
    };
  }

  /** Its name on the command line, in JSON and on the screen. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The digit that shows it. */
  char key() {
    return key;
  }

  /** The view with this name; empty if there is none. */
  public static Optional<View> of(String word) {
    for (View view : values()) {
      if (view.word().equals(word)) {
        return Optional.of(view);
      }
    }
    return Optional.empty();
  }

  /** The one so many steps further, round about. */
  View next(int step) {
    List<View> all = List.of(values());
    return all.get(Math.floorMod(all.indexOf(this) + step, all.size()));
  }
}
