package io.hypersync.wire.pki;

import io.hypersync.runtime.file.DurableFiles;
import io.hypersync.runtime.file.FileProblems;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.List;

/**
 * Reads and writes files of certificates and keys, with mode 0600. A file is replaced atomically
 * and is durable when {@code write} returns: a peer may already rely on the identity.
 */
final class PemFiles {
  private static final String OWNER_ONLY = "rw-------";

  private PemFiles() {}

  static X509Certificate readCertificate(Path file) throws PkiException {
    return readOne(file).toCertificate(file.toString());
  }

  static PrivateKey readKey(Path file) throws PkiException {
    return readOne(file).toKey(file.toString());
  }

  static String readText(Path file) throws PkiException {
    try {
      return Files.readString(file);
    } catch (NoSuchFileException e) {
      throw new PkiException(file + " does not exist", e);
    } catch (IOException e) {
      throw new PkiException("cannot read " + file + ": " + FileProblems.describe(e), e);
    }
  }

  static void write(Path file, Pem pem) throws PkiException {
    write(file, pem.toText());
  }

  private static Pem readOne(Path file) throws PkiException {
    List<Pem> blocks = Pem.parse(readText(file), file.toString());
    if (blocks.size() != 1) {
      throw new PkiException(file + " has " + blocks.size() + " PEM blocks instead of one");
    }
    return blocks.getFirst();
  }

  static void write(Path file, String text) throws PkiException {
    try {
      DurableFiles.replace(file, text, PosixFilePermissions.fromString(OWNER_ONLY));
    } catch (IOException e) {
      throw new PkiException("cannot write " + file + ": " + FileProblems.describe(e), e);
    }
  }
}
