package io.hypersync.wire.pki;

import io.hypersync.model.id.WorkerId;
import io.hypersync.runtime.file.DurableFiles;
import io.hypersync.runtime.file.FileProblems;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The file {@code issued} beside the authority's key: a line for each certificate that was signed
 * with it, oldest first.
 *
 * <pre>
 * serial notBefore notAfter worker-id      times in ms since 1970; "*" in place of an id: the leader
 * </pre>
 *
 * <p>It is a record for people. Nothing is accepted or refused because of it: what was issued
 * before there was this file, or with a copy of the key, is not in it.
 */
public final class IssuedCertificates {
  private static final String NAME = "issued";
  private static final String LEADER = "*";
  private static final int FIELDS = 4;

  /** What is read of it: the last lines, of about 10,000 certificates. */
  private static final int MAX_BYTES = 1 << 20;

  private IssuedCertificates() {}

  /**
   * One of them.
   *
   * @param worker empty for the leader's
   */
  public record Issued(CertificateFacts facts, Optional<WorkerId> worker) {}

  /**
   * Adds a worker's certificate, durably.
   *
   * @param authorityDir the directory of the authority's key
   * @throws PkiException if it cannot be written: then the certificate is to be given to nobody
   */
  public static void addWorker(Path authorityDir, X509Certificate cert) throws PkiException {
    try {
      add(authorityDir, cert, PeerCertificates.workerOf(cert).name());
    } catch (CertificateException e) {
      throw new IllegalArgumentException("no certificate of a worker", e);
    }
  }

  /** The same for the leader's. */
  public static void addLeader(Path authorityDir, X509Certificate cert) throws PkiException {
    add(authorityDir, cert, LEADER);
  }

  private static void add(Path authorityDir, X509Certificate cert, String holder)
      throws PkiException {
    Path file = authorityDir.resolve(NAME);
    CertificateFacts facts = CertificateFacts.of(cert);
    // The line break comes first: a line that a crash has cut off does not swallow this one.
    String line =
        "\n"
            + facts.serial()
            + ' '
            + facts.notBeforeMs()
            + ' '
            + facts.notAfterMs()
            + ' '
            + holder
            + '\n';
    boolean isNew = Files.notExists(file);
    try (FileChannel out =
        FileChannel.open(
            file,
            Set.of(StandardOpenOption.CREATE, StandardOpenOption.APPEND),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
      // One write at the end of the file, so that two commands do not mix their lines.
      ByteBuffer bytes = ByteBuffer.wrap(line.getBytes(StandardCharsets.US_ASCII));
      while (bytes.hasRemaining()) {
        int _ = out.write(bytes);
      }
      out.force(true);
      if (isNew) {
        DurableFiles.syncDirectory(authorityDir);
      }
    } catch (IOException e) {
      throw new PkiException("cannot write " + file + ": " + FileProblems.describe(e), e);
    }
  }

  /**
   * Reads it; what is no line of it is left out. Of a long one its end is read, which has the
   * newest.
   *
   * @throws PkiException if it is there and cannot be read
   */
  public static List<Issued> read(Path authorityDir) throws PkiException {
    Path file = authorityDir.resolve(NAME);
    String text;
    try (FileChannel in = FileChannel.open(file)) {
      long begin = Math.max(0, in.size() - MAX_BYTES);
      in.position(begin);
      text =
          new String(Channels.newInputStream(in).readNBytes(MAX_BYTES), StandardCharsets.US_ASCII);
      if (begin > 0) {
        text = text.substring(text.indexOf('\n') + 1); // what is before is the end of a line
      }
    } catch (NoSuchFileException older) {
      return List.of();
    } catch (IOException e) {
      throw new PkiException("cannot read " + file + ": " + FileProblems.describe(e), e);
    }
    List<Issued> all = new ArrayList<>();
    text.lines().forEach(line -> parse(line).ifPresent(all::add));
    return List.copyOf(all);
  }

  private static Optional<Issued> parse(String line) {
    String[] parts = line.split(" ", FIELDS);
    if (parts.length != FIELDS) {
      return Optional.empty();
    }
    try {
      return Optional.of(
          new Issued(
              new CertificateFacts(parts[0], Long.parseLong(parts[1]), Long.parseLong(parts[2])),
              parts[3].equals(LEADER) ? Optional.empty() : Optional.of(new WorkerId(parts[3]))));
    } catch (IllegalArgumentException damaged) {
      return Optional.empty();
    }
  }
}
