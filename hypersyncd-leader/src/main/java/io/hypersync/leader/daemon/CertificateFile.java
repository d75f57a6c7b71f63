package io.hypersync.leader.daemon;

import io.hypersync.leader.certificates.Certificates;
import io.hypersync.leader.certificates.KnownCertificate;
import io.hypersync.model.id.WorkerId;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.file.FileProblems;
import io.hypersync.wire.pki.CertificateFacts;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file {@code certificates} in the leader's state directory: those that workers have shown.
 *
 * <pre>
 * hypersync-certificates: 1
 * serial notBefore notAfter lastSeen kind worker     ms since 1970; kind: worker, standby
 * </pre>
 *
 * <p>For people only. If it is lost or damaged, certificates are learned again as workers come.
 */
final class CertificateFile {
  private static final Logger LOG = LoggerFactory.getLogger(CertificateFile.class);
  private static final String NAME = "certificates";
  private static final String HEADING = "hypersync-certificates: 1";
  private static final String STANDBY = "standby";
  private static final String WORKER = "worker";
  private static final int FIELDS = 6;
  private static final int MAX_BYTES = 2 << 20;

  private CertificateFile() {}

  static List<KnownCertificate> read(Path stateDir) {
    Path file = stateDir.resolve(NAME);
    try (InputStream in = Files.newInputStream(file)) {
      List<KnownCertificate> read =
          parse(new String(in.readNBytes(MAX_BYTES), StandardCharsets.US_ASCII));
      if (read == null) {
        LOG.warn("{} is damaged; what workers have shown is learned again", file);
        return List.of();
      }
      return read;
    } catch (NoSuchFileException first) {
      return List.of();
    } catch (IOException e) {
      LOG.warn("{} cannot be read: {}", file, FileProblems.describe(e));
      return List.of();
    }
  }

  /** Writes it durably; what fails is only logged. */
  static void write(Path stateDir, List<KnownCertificate> known) {
    try {
      StateText.replace(stateDir.resolve(NAME), text(known));
    } catch (UserError e) {
      LOG.warn("{}; it is tried again when there is more to write", e.getMessage());
    }
  }

  static String text(List<KnownCertificate> known) {
    StringBuilder text = new StringBuilder(HEADING).append('\n');
    for (KnownCertificate each : known) {
      CertificateFacts facts = each.facts();
      text.append(facts.serial())
          .append(' ')
          .append(facts.notBeforeMs())
          .append(' ')
          .append(facts.notAfterMs())
          .append(' ')
          .append(each.seenMs())
          .append(' ')
          .append(each.isStandby() ? STANDBY : WORKER)
          .append(' ')
          .append(each.worker().name())
          .append('\n');
    }
    return text.toString();
  }

  static @Nullable List<KnownCertificate> parse(String text) {
    List<String> lines = text.lines().toList();
    if (!text.endsWith("\n")
        || lines.size() > 1 + Certificates.MAX_KNOWN
        || !lines.getFirst().equals(HEADING)) {
      return null;
    }
    List<KnownCertificate> known = new ArrayList<>();
    try {
      for (String line : lines.subList(1, lines.size())) {
        String[] parts = line.split(" ", FIELDS);
        if (parts.length != FIELDS || !(parts[4].equals(STANDBY) || parts[4].equals(WORKER))) {
          return null;
        }
        known.add(
            new KnownCertificate(
                new CertificateFacts(parts[0], Long.parseLong(parts[1]), Long.parseLong(parts[2])),
                new WorkerId(parts[5]),
                parts[4].equals(STANDBY),
                Long.parseLong(parts[3])));
      }
      return known;
    } catch (IllegalArgumentException damaged) {
      return null;
    }
  }
}
