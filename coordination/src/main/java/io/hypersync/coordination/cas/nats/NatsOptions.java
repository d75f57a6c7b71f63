package io.hypersync.coordination.cas.nats;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Where a bucket of NATS is, and how it is used.
 *
 * @param servers {@code nats://host:port}, with {@code user:password@} or {@code token@} if the
 *     servers want that; one or more of one cluster
 * @param bucket its name
 * @param credentials a file of credentials as NATS makes it
 * @param createBucket whether a bucket that is not there is made
 * @param limit how long a call may take
 */
public record NatsOptions(
    List<String> servers,
    String bucket,
    Optional<Path> credentials,
    boolean createBucket,
    Duration limit) {}
