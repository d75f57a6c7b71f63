package io.hypersync.leader.mail;

import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.hazard.Author;
import io.hypersync.model.hazard.Hazard;
import io.hypersync.model.hazard.HazardKind;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;

/** Hazards of the same two agents at the same path, which one mail tells. */
final class Bundle {
  private static final int MOST_NAME = 128;

  final Hash key;
  final String project;
  final Author author;
  final Hazard first;
  final long firstIndex;
  final long firstTimeNs;
  final long queuedNs;

  /** Not to be sent before this. */
  final long readyNs;

  /** The entry by which its thread is named. */
  final long thread;

  final Set<HazardKind> kinds;

  /** Who has not been told yet. */
  final List<String> recipients;

  long lastIndex;
  long count = 1;

  /** Whether one of its recipients was told. After a crash the others are not told. */
  boolean isBegun;

  /** Whether its recipients are told one by one, because a mail to both was refused. */
  boolean isSplit;

  Bundle(
      Hash key,
      String project,
      LoggedHazards entry,
      Hazard hazard,
      List<String> recipients,
      long queuedNs,
      long readyNs,
      long thread) {
    this.key = key;
    this.project = project;
    this.author = entry.author();
    this.first = hazard;
    this.firstIndex = entry.index();
    this.lastIndex = entry.index();
    this.firstTimeNs = entry.timeNs();
    this.recipients = new ArrayList<>(recipients);
    this.queuedNs = queuedNs;
    this.readyNs = readyNs;
    this.thread = thread;
    this.kinds = EnumSet.of(hazard.kind());
  }

  void merge(long index, HazardKind kind) {
    lastIndex = index;
    count++;
    kinds.add(kind);
  }

  /** The agent that the author is in conflict with; empty if it is not known. */
  static String other(Hazard hazard) {
    return switch (hazard) {
      case Hazard.Overlap overlap -> overlap.other().agent();
      case Hazard.Reserved reserved -> reserved.holder().agent();
      case Hazard.Advice _ -> "";
    };
  }

  /** Those of the two that have a name which Agent Mail can know. */
  static List<String> named(Author author, Hazard hazard) {
    String other = other(hazard);
    return Stream.of(author.agent(), other)
        .filter(Bundle::isName)
        .filter(name -> name.equals(author.agent()) || !Author.isSameAgent(name, author.agent()))
        .distinct()
        .toList();
  }

  private static boolean isName(String text) {
    return !text.isEmpty()
        && text.length() <= MOST_NAME
        && isLetter(text.charAt(0))
        && text.chars().allMatch(c -> isLetter((char) c) || c == '.' || c == '_' || c == '-');
  }

  private static boolean isLetter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  }

  /** The same for the same pair of agents, whoever came first, and the same path. */
  static Hash key(Author author, Hazard hazard) {
    String one = author.agent().toLowerCase(Locale.ROOT);
    String two = other(hazard).toLowerCase(Locale.ROOT);
    String pair = one.compareTo(two) <= 0 ? one + "\0" + two : two + "\0" + one;
    String node = hazard.path().length == 0 ? hazard.node().toString() : "";
    byte[] names = (pair + "\0" + node + "\0").getBytes(StandardCharsets.UTF_8);
    byte[] all = new byte[names.length + hazard.path().length];
    System.arraycopy(names, 0, all, 0, names.length);
    System.arraycopy(hazard.path(), 0, all, names.length, hazard.path().length);
    return Blake3.hash(all);
  }
}
