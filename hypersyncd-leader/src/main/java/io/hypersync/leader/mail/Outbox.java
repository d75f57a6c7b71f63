package io.hypersync.leader.mail;

import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.hazard.Hazard;
import io.hypersync.model.hazard.HazardReport;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which hazards are to be mailed, and how (hypersync.md 11.2). The first of two agents at a path is
 * mailed at once; those that follow within {@link #COALESCED_NS} are one more mail after that time.
 * There are at most {@link #MOST_MAILS} mails a minute; what is more is one digest for each agent.
 * Bounded, whatever happens: what is not mailed is counted, and the log has it all the same.
 *
 * <p>One letter is under way at a time. Single-threaded.
 */
final class Outbox {
  /** How many pairs of agents and paths wait at most. */
  static final int MOST_PENDING = 1_000;

  static final int MOST_MAILS = 20;
  static final long COALESCED_NS = 60_000_000_000L;

  /** What has waited longer, because the server is away, is no news any more. */
  static final long NEWS_NS = 3_600_000_000_000L;

  private static final long MINUTE_NS = 60_000_000_000L;
  private static final int MOST_REMEMBERED = 4_096;

  private final MailProjects projects;
  private final Mutes mutes = new Mutes();
  private final Map<Hash, Bundle> pending = new LinkedHashMap<>();
  private final ArrayDeque<Long> mailsNs = new ArrayDeque<>();
  private final long doneThrough;
  private long seen;
  private @Nullable Letter underWay;
  private boolean isBehind;

  /** Through which entry a pair of agents at a path was told. */
  private final Map<Hash, Long> mailed = remembering();

  /** When it was told last, and in which thread. */
  private final Map<Hash, Told> told = remembering();

  private record Told(long timeNs, long thread) {}

  /** Counters since the start, for reports. */
  static final class Counts {
    long mails;
    long digests;
    long coalesced;
    long dropped;
    long blocked;
    long uncertain;
    long nobody;
    long elsewhere;
  }

  final Counts counts = new Counts();

  /**
   * Nothing is pending.
   *
   * @param done what needs no mail any more
   */
  Outbox(MailProjects projects, MailCursor done) {
    this.projects = projects;
    this.doneThrough = done.through();
    this.seen = done.through();
    mailed.putAll(done.mailed());
  }

  private static <V> Map<Hash, V> remembering() {
    return new LinkedHashMap<>() {
      @Override
      protected boolean removeEldestEntry(Map.Entry<Hash, V> eldest) {
        return size() > MOST_REMEMBERED;
      }
    };
  }

  /** An entry with hazards is durable; in the order of the log. */
  void logged(LoggedHazards entry, long nowNs) {
    if (entry.index() <= doneThrough) {
      return;
    }
    seen = Math.max(seen, entry.index());
    List<Hazard> hazards;
    try {
      hazards = HazardReport.decode(entry.report());
    } catch (DecodeException e) { // no report of this version
      counts.dropped++;
      return;
    }
    Set<Hash> keys = new HashSet<>();
    for (Hazard hazard : hazards) {
      if (hazard instanceof Hazard.Advice) {
        continue; // its author's worker tells it, and it is about nobody else
      }
      Hash key = Bundle.key(entry.author(), hazard);
      Bundle same = pending.get(key);
      if (keys.add(key)) {
        add(key, entry, hazard, nowNs);
      } else if (same != null) {
        same.kinds.add(hazard.kind());
      }
    }
  }

  private void add(Hash key, LoggedHazards entry, Hazard hazard, long nowNs) {
    if (mailed.getOrDefault(key, 0L) >= entry.index()) {
      return; // told before a restart
    }
    List<String> named = Bundle.named(entry.author(), hazard);
    String project = projects.of(hazard.path());
    if (named.isEmpty()) {
      counts.nobody++;
      return;
    }
    if (project == null) {
      counts.elsewhere++;
      return;
    }
    List<String> open = named.stream().filter(name -> !mutes.has(project, name, nowNs)).toList();
    counts.blocked += named.size() - open.size();
    Bundle same = pending.get(key);
    if (same != null) {
      same.merge(entry.index(), hazard.kind());
      counts.coalesced++;
    } else if (pending.size() >= MOST_PENDING) {
      counts.dropped++;
    } else if (!open.isEmpty()) {
      Told last = told.getOrDefault(key, new Told(nowNs - COALESCED_NS, entry.index()));
      long readyNs = Math.max(nowNs, last.timeNs() + COALESCED_NS);
      pending.put(
          key, new Bundle(key, project, entry, hazard, open, nowNs, readyNs, last.thread()));
    }
  }

  /** Hazards were lost before they came here. */
  void lost(long count) {
    counts.dropped += count;
  }

  /**
   * The letter that is to be sent next; null if there is none now. It is under way from {@link
   * #leaves} on.
   */
  @Nullable Letter next(long nowNs) {
    forgetOld(nowNs);
    List<Bundle> ready =
        pending.values().stream().filter(each -> nowNs - each.readyNs >= 0).toList();
    if (ready.isEmpty()) {
      isBehind = false;
      return null;
    }
    if (mailsNs.size() >= MOST_MAILS) {
      isBehind = true;
      return null;
    }
    Bundle oldest = ready.getFirst();
    if (isBehind || ready.size() > MOST_MAILS) {
      return digest(oldest, ready);
    }
    List<String> to =
        oldest.isSplit ? List.of(oldest.recipients.getFirst()) : List.copyOf(oldest.recipients);
    return new Letter(
        oldest.project,
        to,
        LetterText.subject(oldest),
        LetterText.body(oldest),
        LetterText.thread(oldest),
        List.of(oldest.key));
  }

  private static Letter digest(Bundle oldest, List<Bundle> ready) {
    String to = oldest.recipients.getFirst();
    List<Bundle> about =
        ready.stream()
            .filter(each -> each.project.equals(oldest.project) && each.recipients.contains(to))
            .toList();
    boolean isOne = about.size() == 1;
    return new Letter(
        oldest.project,
        List.of(to),
        isOne ? LetterText.subject(oldest) : LetterText.subject(about),
        isOne ? LetterText.body(oldest) : LetterText.body(about),
        LetterText.thread(oldest),
        about.stream().map(each -> each.key).toList());
  }

  private void forgetOld(long nowNs) {
    while (!mailsNs.isEmpty() && nowNs - mailsNs.getFirst() >= MINUTE_NS) {
      mailsNs.removeFirst();
    }
    pending
        .values()
        .removeIf(
            bundle -> {
              boolean isOld = nowNs - bundle.queuedNs >= NEWS_NS;
              counts.dropped += isOld ? 1 : 0;
              return isOld;
            });
  }

  /** The letter is about to be sent: from now on, what it tells counts as told. */
  void leaves(Letter letter) {
    underWay = letter;
  }

  /** It was not sent after all. */
  void returned() {
    underWay = null;
  }

  /**
   * It has arrived.
   *
   * @param isSure false if nobody knows; it is not sent again then
   */
  void arrived(Letter letter, boolean isSure, long nowNs) {
    underWay = null;
    mailsNs.addLast(nowNs);
    if (isSure) {
      counts.mails++;
      counts.digests += letter.isDigest() ? 1 : 0;
    } else {
      counts.uncertain++;
    }
    for (Hash key : letter.about()) {
      Bundle bundle = pending.get(key);
      if (bundle != null) {
        told(bundle, letter.to(), nowNs);
      }
    }
  }

  private void told(Bundle bundle, List<String> to, long nowNs) {
    bundle.recipients.removeAll(to);
    bundle.isBegun = true;
    if (bundle.recipients.isEmpty()) {
      pending.remove(bundle.key);
      remember(mailed, bundle.key, bundle.lastIndex);
      remember(told, bundle.key, new Told(nowNs, bundle.thread));
    }
  }

  private static <V> void remember(Map<Hash, V> all, Hash key, V value) {
    all.remove(key); // to the end
    all.put(key, value);
  }

  /** The server has refused it. If it was for two, each of them is told alone. */
  void refused(Letter letter, String why, long nowNs) {
    underWay = null;
    mailsNs.addLast(nowNs); // which bounds how often a server is asked that refuses everything
    if (letter.to().size() > 1) {
      for (Hash key : letter.about()) {
        Bundle bundle = pending.get(key);
        if (bundle != null) {
          bundle.isSplit = true;
        }
      }
      return;
    }
    String name = letter.to().getFirst();
    mutes.add(letter.project(), name, why, nowNs);
    block(letter.project(), name);
  }

  /** The server does not want a project: nobody of it is told for a while. */
  void projectRefused(String project, String why, long nowNs) {
    underWay = null;
    mutes.add(project, "", why, nowNs);
    for (Bundle bundle : List.copyOf(pending.values())) {
      if (bundle.project.equals(project)) {
        counts.blocked += bundle.recipients.size();
        pending.remove(bundle.key);
      }
    }
  }

  private void block(String project, String name) {
    for (Bundle bundle : List.copyOf(pending.values())) {
      if (bundle.project.equals(project) && bundle.recipients.remove(name)) {
        counts.blocked++;
        if (bundle.recipients.isEmpty()) {
          pending.remove(bundle.key);
        }
      }
    }
  }

  /** What needs no mail any more; what is under way counts. */
  MailCursor cursor() {
    Letter leaving = underWay;
    Set<Hash> done = leaving == null ? Set.of() : new HashSet<>(leaving.about());
    long through = seen;
    Map<Hash, Long> later = new HashMap<>(mailed);
    for (Bundle bundle : pending.values()) {
      if (done.contains(bundle.key) || bundle.isBegun) {
        later.put(bundle.key, bundle.lastIndex);
      } else {
        through = Math.min(through, bundle.firstIndex - 1);
      }
    }
    long all = through;
    later.values().removeIf(index -> index <= all);
    return new MailCursor(through, later);
  }

  int pending() {
    return pending.size();
  }

  List<Mutes.Muted> muted(long nowNs) {
    return mutes.all(nowNs);
  }
}
