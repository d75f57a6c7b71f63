package io.hypersync.rules;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.Architectures;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Dependencies between packages point one way, and each third-party library is used in one package
 * only. No main code depends on the fixtures of tests.
 */
class ArchitectureTest {
  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .importPackages("io.hypersync");

  /**
   * Decision code: it must not use clocks, threads, sockets or files. Exempt are the choice between
   * two implementations of one hash, which influences no result, the wording of error messages, and
   * the reading of written times.
   */
  private static final Predicate<JavaClass> DECIDES =
      named(
              "io.hypersync.model.hash.VectorWarmUp",
              "io.hypersync.model.text.FileFailures",
              "io.hypersync.leader.reservation.ReservationTimes")
          .negate()
          .and(
              inPackages(
                      "io.hypersync.model",
                      "io.hypersync.raptorq",
                      "io.hypersync.coordination.lease",
                      "io.hypersync.coordination.putex",
                      "io.hypersync.leader.backup",
                      "io.hypersync.leader.collection",
                      "io.hypersync.leader.hazard",
                      "io.hypersync.leader.history",
                      "io.hypersync.leader.mail",
                      "io.hypersync.leader.leadership",
                      "io.hypersync.leader.lineage",
                      "io.hypersync.leader.past",
                      "io.hypersync.leader.placement",
                      "io.hypersync.leader.presence",
                      "io.hypersync.leader.lock",
                      "io.hypersync.leader.reservation",
                      "io.hypersync.leader.sequencer",
                      "io.hypersync.leader.scrub",
                      "io.hypersync.leader.session",
                      "io.hypersync.leader.snapshot",
                      "io.hypersync.leader.syncstandby",
                      "io.hypersync.leader.recovery",
                      "io.hypersync.leader.port",
                      "io.hypersync.worker.cache",
                      "io.hypersync.worker.hazard",
                      "io.hypersync.worker.identity",
                      "io.hypersync.worker.incarnation",
                      "io.hypersync.worker.inotify",
                      "io.hypersync.worker.install",
                      "io.hypersync.worker.intents",
                      "io.hypersync.worker.local",
                      "io.hypersync.worker.lock",
                      "io.hypersync.worker.memory",
                      "io.hypersync.worker.replica",
                      "io.hypersync.worker.link",
                      "io.hypersync.worker.port",
                      "io.hypersync.worker.seen",
                      "io.hypersync.worker.sighting",
                      "io.hypersync.worker.snapshot",
                      "io.hypersync.worker.past",
                      "io.hypersync.worker.vfs",
                      "io.hypersync.snapshot.schedule")
                  .or(
                      named(
                          "io.hypersync.cli.metrics.MetricReader",
                          "io.hypersync.coordination.cas.CasRecord",
                          "io.hypersync.coordination.cas.CasStore",
                          "io.hypersync.leader.LeaderAgent",
                          "io.hypersync.leader.LeaderConfig",
                          "io.hypersync.worker.WorkerAgent",
                          "io.hypersync.worker.WorkerConfig")));

  @Test
  void dependenciesPointOneWay() {
    Architectures.layeredArchitecture()
        .consideringOnlyDependenciesInLayers()
        .layer("model")
        .definedBy("io.hypersync.model..")
        .layer("chunkstore")
        .definedBy("io.hypersync.chunkstore..")
        .layer("raptorq")
        .definedBy("io.hypersync.raptorq..")
        .layer("runtime")
        .definedBy("io.hypersync.runtime..")
        .layer("coordination")
        .definedBy("io.hypersync.coordination..")
        .layer("snapshot")
        .definedBy("io.hypersync.snapshot..")
        .layer("fixtures")
        .definedBy("io.hypersync.fixtures..")
        .layer("wire")
        .definedBy("io.hypersync.wire..")
        .layer("leader")
        .definedBy("io.hypersync.leader..")
        .layer("worker")
        .definedBy("io.hypersync.worker..")
        .layer("top")
        .definedBy("io.hypersync.cli..", "io.hypersync.sim..", "io.hypersync.bench..")
        .whereLayer("top")
        .mayNotBeAccessedByAnyLayer()
        .whereLayer("fixtures")
        .mayNotBeAccessedByAnyLayer()
        .whereLayer("leader")
        .mayOnlyBeAccessedByLayers("top")
        .whereLayer("worker")
        .mayOnlyBeAccessedByLayers("top")
        .whereLayer("snapshot")
        .mayOnlyBeAccessedByLayers("leader", "worker", "top")
        .whereLayer("raptorq")
        .mayNotAccessAnyLayer()
        .whereLayer("coordination")
        .mayOnlyBeAccessedByLayers("leader", "top")
        .whereLayer("runtime")
        .mayOnlyBeAccessedByLayers(
            "coordination", "snapshot", "fixtures", "wire", "leader", "worker", "top")
        .whereLayer("wire")
        .mayOnlyBeAccessedByLayers("leader", "worker", "top")
        .whereLayer("chunkstore")
        .mayOnlyBeAccessedByLayers("snapshot", "leader", "worker", "top")
        .whereLayer("model")
        .mayOnlyBeAccessedByLayers(
            "chunkstore",
            "runtime",
            "coordination",
            "snapshot",
            "fixtures",
            "wire",
            "leader",
            "worker",
            "top")
        .check(CLASSES);
  }

  @Test
  void leaderAndWorkerNeverSeeEachOther() {
    check(noClasses().that().resideInAPackage("io.hypersync.leader.."), "io.hypersync.worker..");
    check(noClasses().that().resideInAPackage("io.hypersync.worker.."), "io.hypersync.leader..");
  }

  @ParameterizedTest
  @CsvSource({
    "org.rocksdb..,             io.hypersync.chunkstore.database..",
    "net.openhft..,             io.hypersync.leader.oplog.chronicle..",
    "org.bouncycastle..,        io.hypersync.wire.pki..",
    "com.google.protobuf..,     io.hypersync.wire..",
    "picocli..,                 io.hypersync.cli..",
    "io.nats..,                 io.hypersync.coordination.cas.nats..",
    "io.prometheus..,           io.hypersync.cli.metrics..",
    "org.jline..,               io.hypersync.cli.top.terminal..",
    "ru.serce.jnrfuse..,        io.hypersync.worker.fuse.jnr..",
    "jnr..,                     io.hypersync.worker.fuse.jnr..",
  })
  void outsideDependenciesHaveOneHome(String outside, String home) {
    check(noClasses().that().resideOutsideOfPackage(home), outside);
  }

  @Test
  void nettyLivesInTheTransportAndItsBuffersInTheCodec() {
    ArchRule outside =
        noClasses()
            .that(not(resideInAnyPackage("io.hypersync.wire.quic..", "io.hypersync.wire.codec..")))
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.netty..");
    outside.check(CLASSES);
    ArchRule codec =
        noClasses()
            .that()
            .resideInAPackage("io.hypersync.wire.codec..")
            .should()
            .dependOnClassesThat(
                resideInAPackage("io.netty..").and(not(resideInAPackage("io.netty.buffer.."))));
    codec.check(CLASSES);
  }

  /**
   * Only the access to /dev/fuse, and what Java does not have: a clock, process groups, datagrams.
   */
  @Test
  void foreignMemoryIsTouchedInFourPlaces() {
    ArchRule rule =
        noClasses()
            .that()
            .resideOutsideOfPackages(
                "io.hypersync.worker.fuse.dev..",
                "io.hypersync.runtime.clock..",
                "io.hypersync.runtime.supervision..",
                "io.hypersync.coordination.process..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("java.lang.foreign..");
    rule.check(CLASSES);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "java\\.lang\\.Thread.*",
        "java\\.nio\\.file\\..*",
        "java\\.nio\\.channels\\..*",
        "java\\.net\\..*",
        "java\\.io\\.File.*",
        "java\\.io\\.RandomAccessFile",
        "java\\.util\\.Random",
        "java\\.util\\.SplittableRandom",
        "java\\.util\\.Timer.*",
        "java\\.util\\.concurrent\\.(Executor|ThreadLocalRandom|.*Latch|.*Future).*",
        "java\\.security\\.SecureRandom",
        "java\\.time\\..*",
      })
  void whatDecidesKnowsNoWorld(String forbidden) {
    noClasses()
        .that(matching("decide", DECIDES))
        .should()
        .dependOnClassesThat(
            matching("match " + forbidden, type -> Pattern.matches(forbidden, type.getFullName())))
        .check(CLASSES);
  }

  @ParameterizedTest
  @ValueSource(strings = {"nanoTime", "currentTimeMillis"})
  void whatDecidesDoesNotLookAtTheClock(String method) {
    noClasses()
        .that(matching("decide", DECIDES))
        .should()
        .callMethod(System.class, method)
        .check(CLASSES);
  }

  @Test
  void everythingThatDecidesIsLookedAt() {
    List<String> found = CLASSES.stream().filter(DECIDES).map(JavaClass::getName).toList();
    assertTrue(found.size() > 100, () -> "only " + found);
    assertTrue(found.contains("io.hypersync.leader.LeaderAgent"));
    assertTrue(found.contains("io.hypersync.worker.vfs.Vfs"));
    assertTrue(found.contains("io.hypersync.raptorq.Decoder"));
    assertFalse(found.contains("io.hypersync.leader.oplog.chronicle.ChronicleOpLog"));
  }

  private static void check(
      com.tngtech.archunit.lang.syntax.elements.GivenClassesConjunction classes, String target) {
    classes.should().dependOnClassesThat().resideInAPackage(target).check(CLASSES);
  }

  private static Predicate<JavaClass> inPackages(String... names) {
    return type ->
        List.of(names).stream()
            .anyMatch(
                name ->
                    type.getPackageName().equals(name)
                        || type.getPackageName().startsWith(name + "."));
  }

  private static Predicate<JavaClass> named(String... names) {
    return type -> List.of(names).contains(type.getName());
  }

  private static DescribedPredicate<JavaClass> matching(
      String description, Predicate<JavaClass> predicate) {
    return DescribedPredicate.describe(description, predicate);
  }
}
