package io.hypersync.coordination.daemon;

import io.hypersync.coordination.cas.CasStore;
import io.hypersync.coordination.putex.PutexTiming;

/**
 * How one agent of a process mutex runs.
 *
 * @param name of the service, for people
 * @param key the record that all agents of the service share
 * @param token what this agent writes into it; no other agent has it
 * @param store where the record is
 * @param storeName the store, for people; without secrets
 */
public record PutexOptions(
    String name,
    String key,
    String token,
    PutexTiming timing,
    PutexScripts scripts,
    CasStore store,
    String storeName) {}
