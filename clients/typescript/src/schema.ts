// Made by scripts/generate.mjs from the server's OpenAPI document (make typescript); change that instead.

export interface paths {
    "/v1/changes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What the asker may see of what changed, in the order of the log. Invalid for a cursor that this did not give.
         * @description What the asker may see of what changed, in the order of the log. Invalid for a cursor that this did not give.
         */
        get: operations["changes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/context": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A pack of at most `ask.budget` tokens, valid for the chat API of `ask.shape`.
         * @description A pack of at most `ask.budget` tokens, valid for the chat API of `ask.shape`.
         *
         *     What it gives is noted in the session as a memory_injected event (ids only), so that later turns show it again at the same place
         *     (the prefix stays the same) and nothing is given twice; what was forgotten since is left out. Raises Invalid where the request
         *     itself does not fit the budget.
         */
        post: operations["context"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Keep events; what cannot be kept (bad, or another thing under the same id) is set aside with its reason, the rest is durable.
         * @description Keep events; what cannot be kept (bad, or another thing under the same id) is set aside with its reason, the rest is durable.
         *
         *     The event log is its own diary: appends make no audit line.
         */
        post: operations["append"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/explain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Why `ask.expect` was found by the query, or was not; a forbidden record reads like an unknown one, but for an administrator.
         * @description Why `ask.expect` was found by the query, or was not; a forbidden record reads like an unknown one, but for an administrator.
         */
        post: operations["explain"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether the store answers, where the data lives, and what the asker keeps.
         * @description Whether the store answers, where the data lives, and what the asker keeps.
         */
        get: operations["health"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The keys of the asker's tenant; of every tenant for an administrator who is bound to none.
         * @description The keys of the asker's tenant; of every tenant for an administrator who is bound to none.
         *
         *     For the role admin.
         */
        get: operations["key_list"];
        put?: never;
        /**
         * Make a key that may at most what its maker may. Forbidden for who is no administrator or asks for more.
         * @description Make a key that may at most what its maker may. Forbidden for who is no administrator or asks for more.
         *
         *     For the role admin.
         */
        post: operations["key_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End a key now; again changes nothing. NotFound for an unknown one.
         * @description End a key now; again changes nothing. NotFound for an unknown one.
         *
         *     For the role admin.
         */
        delete: operations["key_revoke"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/memories": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Records that answer the query's filters, a page at a time, newest first unless asked otherwise.
         * @description Records that answer the query's filters, a page at a time, newest first unless asked otherwise.
         */
        get: operations["list"];
        put?: never;
        /**
         * Keep a memory; the current one of the same slot is closed in the same transaction.
         * @description Keep a memory; the current one of the same slot is closed in the same transaction.
         *
         *     Writing the same id and text again changes nothing; other text under that id is a Conflict.
         */
        post: operations["write"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/memories/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One record, whole, or None: for an unknown, a forgotten and a foreign id alike. What was superseded is there, marked.
         * @description One record, whole, or None: for an unknown, a forgotten and a foreign id alike. What was superseded is there, marked.
         */
        get: operations["get"];
        put?: never;
        post?: never;
        /**
         * Forget a record, its earlier versions and what rests on it alone, in one batch; NotFound for an unknown or foreign one.
         * @description Forget a record, its earlier versions and what rests on it alone, in one batch; NotFound for an unknown or foreign one.
         *
         *     A memory that has other evidence too is kept, without this source and without its quotation. What the asker may not see goes too
         *     when it rests on what he forgets, and is not named to him.
         */
        delete: operations["forget"];
        options?: never;
        head?: never;
        /**
         * Change a memory; its earlier version stays in its history. NotFound for an unknown id, Conflict for a stale version.
         * @description Change a memory; its earlier version stays in its history. NotFound for an unknown id, Conflict for a stale version.
         */
        patch: operations["update"];
        trace?: never;
    };
    "/v1/memories/{id}/body": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A large body of an event that the asker may see; NotFound for an unknown or foreign event, and for a body that is not its own.
         * @description A large body of an event that the asker may see; NotFound for an unknown or foreign event, and for a body that is not its own.
         */
        get: operations["body"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/memories/{id}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A memory's versions and those of its slot, newest first; empty for an unknown or foreign one.
         * @description A memory's versions and those of its slot, newest first; empty for an unknown or foreign one.
         */
        get: operations["history"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/purge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Remove for real what was forgotten: everything (`ask.now`), or what is due by the contract's days. Needs the admin role.
         * @description Remove for real what was forgotten: everything (`ask.now`), or what is due by the contract's days. Needs the admin role.
         *
         *     For the role admin.
         */
        post: operations["purge"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/query": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * What fits `ask` best among what the asker may see, with reasons; an empty recall says why in its report.
         * @description What fits `ask` best among what the asker may see, with reasons; an empty recall says why in its report.
         */
        post: operations["query"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Sessions with their counts, latest begun first; only what the asker may see of each is counted.
         * @description Sessions with their counts, latest begun first; only what the asker may see of each is counted.
         */
        get: operations["sessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{session}/trace": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The causal graph of a session in order, or the chain around one event; empty for an unknown or foreign one.
         * @description The causal graph of a session in order, or the chain around one event; empty for an unknown or foreign one.
         */
        get: operations["trace"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/settle": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Return when vectors and memories made of what was kept have caught up, or the time is over.
         * @description Return when vectors and memories made of what was kept have caught up, or the time is over.
         *
         *     Raises Unavailable when the model is away, ModelMismatch when another model made the vectors that are searched.
         */
        post: operations["settle"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/states": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * States that the asker may see, by key, a page at a time.
         * @description States that the asker may see, by key, a page at a time.
         */
        get: operations["state_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/states/{key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The state called `ask.key`, or None: for an unknown one, an expired one and somebody else's alike.
         * @description The state called `ask.key`, or None: for an unknown one, an expired one and somebody else's alike.
         */
        get: operations["state_get"];
        /**
         * Replace the whole state.
         * @description Set fields alone, each atomically, or the whole state (`ask.replace`); returns the state as it is now kept.
         *
         *     Raises Conflict (its detail is the state as it is) for a stale version, Invalid for one that makes no sense or is too large.
         */
        put: operations["state_put"];
        post?: never;
        /**
         * Remove a state for real, with its history; NotFound for an unknown one.
         * @description Remove a state for real, with its history; NotFound for an unknown one.
         */
        delete: operations["state_delete"];
        options?: never;
        head?: never;
        /**
         * Set fields alone, each atomically, or the whole state (`ask.replace`); returns the state as it is now kept.
         * @description Set fields alone, each atomically, or the whole state (`ask.replace`); returns the state as it is now kept.
         *
         *     Raises Conflict (its detail is the state as it is) for a stale version, Invalid for one that makes no sense or is too large.
         */
        patch: operations["state_set"];
        trace?: never;
    };
    "/v1/states/{key}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Earlier and present versions of a state, newest first; empty for an unknown one.
         * @description Earlier and present versions of a state, newest first; empty for an unknown one.
         */
        get: operations["state_history"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/trace": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The causal graph of a session in order, or the chain around one event; empty for an unknown or foreign one.
         * @description The causal graph of a session in order, or the chain around one event; empty for an unknown or foreign one.
         */
        get: operations["trace_bare"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/whoami": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The principal that asks, as its credential and what it asked to be narrowed to make it.
         * @description The principal that asks, as its credential and what it asked to be narrowed to make it.
         */
        get: operations["whoami"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /**
         * Actor
         * @description Who did it: an agent's id and name. It says, and restricts nothing.
         */
        Actor: {
            /** @default  */
            id?: string;
            /** @default  */
            name?: string;
        };
        /**
         * Appended
         * @description What became of appended events: ids kept, ids seen before, ids refused because they were erased, ids set aside with the reason.
         */
        Appended: {
            buried: string[];
            created: string[];
            rejected: {
                [key: string]: string;
            };
            seen: string[];
        };
        /**
         * Cause
         * @description One typed edge to an earlier event; it may dangle until the other end arrives.
         */
        Cause: {
            id: string;
            /** @default caused_by */
            relation?: string;
        };
        /**
         * Change
         * @description That a record was kept or changed, at this position of the log; `gone` when it was forgotten.
         */
        Change: {
            /** @default false */
            gone?: boolean;
            id: string;
            kind: string;
            position: number;
            type: string;
        };
        /**
         * ChangePage
         * @description Changes in the order of the log, and where the next page begins. A record that changed again is told where it changed last.
         *
         *     What was purged or erased is told no more: who keeps copies of what he followed asks more often than that happens, or reads anew.
         *     `more` says that there is more by now.
         */
        ChangePage: {
            cursor: string;
            items: components["schemas"]["Change"][];
            more: boolean;
        };
        /**
         * Citation
         * @description What one mark in a pack points to.
         */
        Citation: {
            at: string;
            id: string;
            kind: string;
            mark: string;
            sources: string[];
        };
        /**
         * Dropped
         * @description What did not go into a pack whole, and why; `handle` is the id by which it can be read.
         */
        Dropped: {
            handle: string;
            id: string;
            reason: string;
            tokens: number;
        };
        /**
         * Event
         * @description One thing that happened in an agent's run; immutable but for empty fields that a second sighting fills.
         *
         *     `at` and `ended_at` are the source's clock with its offset; `recorded_at` is ours. `seq` is the producer's order within a session;
         *     `position` the log's, set by the store. `parent` is structural (the enclosing step), `causes` are logical, `refers_to` are mentions.
         *     `parts` are content parts in the OpenTelemetry GenAI shape; `text` is what is searched. `body_ref` names a blob that holds the whole
         *     text where `text` is only its head.
         */
        Event: {
            /** @default {} */
            actor?: components["schemas"]["Actor"];
            at: string;
            /** @default  */
            body_ref?: string;
            /** @default [] */
            causes?: components["schemas"]["Cause"][];
            /** @default null */
            closed_at?: string | null;
            /** @default  */
            dedup_key?: string;
            /** @default null */
            ended_at?: string | null;
            /** @default {} */
            environment?: {
                [key: string]: string;
            };
            /** @default null */
            error?: components["schemas"]["Failure"] | null;
            /** @default null */
            expires_at?: string | null;
            /** @default null */
            forgotten_at?: string | null;
            id: string;
            kind: string;
            /** @default null */
            model?: components["schemas"]["ModelCall"] | null;
            /** @default  */
            origin?: string;
            /** @default  */
            parent?: string;
            /** @default [] */
            parts?: Record<string, never>[];
            /** @default 0 */
            position?: number;
            /** @default normal */
            priority?: string;
            /** @default null */
            recorded_at?: string | null;
            /** @default {} */
            redactions?: {
                [key: string]: number;
            };
            /** @default [] */
            refers_to?: string[];
            /** @default  */
            root_session?: string;
            /** @default  */
            run?: string;
            scope: components["schemas"]["Scope"];
            /** @default 0 */
            seq?: number;
            /** @default {} */
            source?: components["schemas"]["Source"];
            /** @default  */
            speaker?: string;
            /** @default ok */
            status?: string;
            /** @default  */
            superseded_by?: string;
            /** @default [] */
            tags?: string[];
            /** @default  */
            text?: string;
            /** @default null */
            tool?: components["schemas"]["Tool"] | null;
            /** @enum {unknown} */
            type: "event";
        };
        /** @description One step of a run. What is left out has its usual value. */
        EventDraft: {
            actor?: string | Record<string, never>;
            agent?: string;
            at?: string;
            causes?: unknown[];
            /** @description Text, or JSON kept as its text. */
            content?: unknown;
            ended_at?: string;
            environment?: {
                [key: string]: string;
            };
            error?: string | Record<string, never>;
            id?: string;
            /** @enum {string} */
            kind: "user_message" | "assistant_message" | "thought" | "model_call" | "tool_call" | "tool_result" | "agent_start" | "agent_end" | "handoff" | "retrieval" | "memory_op" | "memory_injected" | "system_message" | "harness_message" | "compaction" | "error";
            model?: string | Record<string, never>;
            origin?: string;
            parent?: string;
            parts?: Record<string, never>[];
            priority?: string;
            refers_to?: string[];
            root_session?: string;
            run?: string;
            sensitivity?: number;
            seq?: number;
            session?: string;
            source?: string | Record<string, never>;
            space?: string;
            speaker?: string;
            status?: string;
            task?: string;
            text?: string;
            tool?: string | Record<string, never>;
            user?: string;
        };
        /**
         * Evidence
         * @description What a memory rests on: the events, the words as they were said, who said them and how surely.
         */
        Evidence: {
            /** @default asserted */
            modality?: string;
            /** @default  */
            quote?: string;
            /** @default [] */
            sources?: string[];
            /** @default  */
            speaker?: string;
        };
        /**
         * Explanation
         * @description Why record `id` is or is not in the answer to a query.
         *
         *     `verdict` says it in a sentence. `rank` counts from 1 in the whole ranking, 0 when it is not there; `found` when it is within the
         *     limit. `filters` are those of the query that shut it out. `relevance` is the fused score that is held against `threshold`, `parts`
         *     and `reasons` what it is made of. `matched` and `missing` are the query's words that it has and lacks.
         */
        Explanation: {
            channels: {
                [key: string]: components["schemas"]["Rank"];
            };
            filters: string[];
            found: boolean;
            id: string;
            matched: string[];
            missing: string[];
            parts: {
                [key: string]: number;
            };
            rank: number;
            reasons: string[];
            relevance: number;
            report: components["schemas"]["Report"];
            score: number;
            status: string;
            threshold: number;
            verdict: string;
        };
        /**
         * Failure
         * @description What went wrong in an event whose status is not ok.
         */
        Failure: {
            /** @default  */
            message?: string;
            /** @default  */
            type?: string;
        };
        /**
         * Field
         * @description One field of a state: its value, how sure it is (confirmed, tentative, missing) and the event or person it came from.
         */
        Field: {
            /** @default  */
            source?: string;
            /** @default confirmed */
            status?: string;
            /** @default null */
            value?: unknown;
        };
        /**
         * Forgotten
         * @description Which ids were forgotten: the record, and its earlier versions.
         */
        Forgotten: {
            ids: string[];
        };
        /**
         * Health
         * @description Whether the store answers, where the data lives, and what the asker keeps in it, by type.
         *
         *     `capture` counts what became of the events that the asking process recorded (sent, folded, spilled, dropped, rejected, …), and
         *     `trouble` says why the last of them were not kept yet, '' while all is well. `meaning` tells of the search by meaning: the space of
         *     vectors, or why there is none; `waiting` is how many changes of the log have no vectors yet, `refused` how many records lack
         *     some for good, since the model refused their texts.
         */
        Health: {
            capture: {
                [key: string]: number;
            };
            counts: {
                [key: string]: number;
            };
            home: string;
            meaning: string;
            ok: boolean;
            refused: number;
            store: string;
            trouble: string;
            waiting: number;
        };
        /**
         * History
         * @description Versions of a memory, newest first, as far as the asker may see them.
         */
        History: {
            items: components["schemas"]["Memory"][];
        };
        /**
         * Item
         * @description One recalled record and why it was recalled. `sources` are the ids of the events it rests on; for an event, its own id.
         */
        Item: {
            at: string;
            chain: (components["schemas"]["Event"] | components["schemas"]["Memory"] | components["schemas"]["Session"])[];
            channels: {
                [key: string]: components["schemas"]["Rank"];
            };
            id: string;
            kind: string;
            reasons: string[];
            record: components["schemas"]["Event"] | components["schemas"]["Memory"] | components["schemas"]["Session"];
            score: number;
            sources: string[];
            status: string;
            text: string;
        };
        /**
         * Key
         * @description A key as it may be shown: whom it stands for, and until when.
         */
        Key: {
            created_at: string;
            expires_at: string | null;
            id: string;
            name: string;
            principal: components["schemas"]["Principal"];
            revoked_at: string | null;
        };
        /**
         * KeyMade
         * @description A new key and its token, which is shown this once.
         */
        KeyMade: {
            key: components["schemas"]["Key"];
            token: string;
        };
        /**
         * KeyPage
         * @description All keys of the asker's tenant, oldest first, revoked and expired ones too.
         */
        KeyPage: {
            items: components["schemas"]["Key"][];
        };
        /**
         * Link
         * @description One edge, from the later record to the earlier one it comes from, inside one owner. `depth` counts hops from where a walk began.
         *
         *     Families: NEXT (order in a session; derived, never stored), CAUSED_BY (parent and causes), REFERS_TO (mentions),
         *     DATA_FROM (an argument's value came from that result), RESTS_ON (a memory's evidence).
         */
        Link: {
            /** @default 0 */
            depth?: number;
            /** @enum {unknown} */
            family: "CAUSED_BY" | "DATA_FROM" | "NEXT" | "REFERS_TO" | "RESTS_ON";
            owner: string;
            /** @default  */
            relation?: string;
            source: string;
            target: string;
        };
        /**
         * Memory
         * @description A record written or distilled for later use, on two clocks: valid_* in the world, `at` and `closed_at` in the log.
         *
         *     `version` grows by one with each change and guards against stale writes. Active, superseded, disputed, forgotten, pending and expired
         *     are derived by `policy.status`, never stored. `trust` is set by the server from who wrote it.
         */
        Memory: {
            /** @default {} */
            actor?: components["schemas"]["Actor"];
            at: string;
            /** @default null */
            closed_at?: string | null;
            /** @default 1 */
            confidence?: number;
            /** @default  */
            dedup_key?: string;
            /** @default [] */
            disputes?: string[];
            /** @default [] */
            entities?: string[];
            /** @default {} */
            environment?: {
                [key: string]: string;
            };
            /** @default {} */
            evidence?: components["schemas"]["Evidence"];
            /** @default null */
            expires_at?: string | null;
            /** @default null */
            forgotten_at?: string | null;
            id: string;
            /** @default 0.5 */
            importance?: number;
            /** @default  */
            key?: string;
            kind: string;
            /** @default null */
            last_used?: string | null;
            /** @default long */
            layer?: string;
            /** @default false */
            pending?: boolean;
            /** @default 0 */
            position?: number;
            scope: components["schemas"]["Scope"];
            /** @default  */
            superseded_by?: string;
            /** @default [] */
            tags?: string[];
            /** @default  */
            text?: string;
            /** @default human */
            trust?: string;
            /** @enum {unknown} */
            type: "memory";
            /** @default 0 */
            uses?: number;
            /** @default null */
            valid_from?: string | null;
            /** @default null */
            valid_to?: string | null;
            /** @default null */
            value?: unknown;
            /** @default 1 */
            version?: number;
        };
        /**
         * ModelCall
         * @description The model of a model_call; `usage` counts tokens by name (in, out, cache_read, cache_write, reasoning), `cost` is in US dollars.
         */
        ModelCall: {
            /** @default 0 */
            cost?: number;
            /** @default  */
            finish_reason?: string;
            /** @default  */
            name?: string;
            /** @default {} */
            params?: Record<string, never>;
            /** @default  */
            provider?: string;
            /** @default  */
            response_id?: string;
            /** @default false */
            streamed?: boolean;
            /** @default {} */
            usage?: {
                [key: string]: number;
            };
        };
        /**
         * Nothing
         * @description A request or an answer with nothing in it.
         */
        Nothing: Record<string, never>;
        /**
         * Pack
         * @description A token-budgeted `messages` array, valid for the chat API of `shape` at any budget.
         *
         *     `system` holds the system text where the shape keeps it apart (Anthropic, Gemini). `prefix` is how many leading messages stay the
         *     same from turn to turn, where a provider's cache mark belongs; `prefix_hash` covers their bytes.
         */
        Pack: {
            budget: number;
            citations: components["schemas"]["Citation"][];
            dropped: components["schemas"]["Dropped"][];
            messages: Record<string, never>[];
            prefix: number;
            prefix_hash: string;
            report: components["schemas"]["Report"];
            shape: string;
            system: string;
            tokens: number;
        };
        /**
         * Page
         * @description One page of a list; `cursor` is '' on the last one.
         */
        Page: {
            cursor: string;
            items: (components["schemas"]["Event"] | components["schemas"]["Memory"] | components["schemas"]["Session"])[];
        };
        /**
         * Principal
         * @description Who asks; made by a face from credentials, the first argument of every operation. Requests narrow it, never widen it.
         *
         *     `kinds` None means every kind; an empty tuple means none. `private` is an isolated credential: what it writes is its agent's alone.
         */
        Principal: {
            agent: string;
            clearance: number;
            groups: string[];
            kinds: string[] | null;
            private: boolean;
            roles: string[];
            session: string;
            task: string;
            tenant: string;
            user: string;
        };
        /** @description A problem (RFC 9457). */
        Problem: {
            current?: unknown;
            detail: string;
            ids?: string[];
            status: number;
            title: string;
            type: string;
        };
        /**
         * Purged
         * @description How many records were removed for real.
         */
        Purged: {
            records: number;
        };
        /**
         * Query
         * @description What a user may ask; it travels whole, so that a new option touches this type and the room that uses it.
         *
         *     `now` is the moment from which relative time is counted (default: the clock); `tz` the zone it is counted in. `channels` empty means
         *     those that the query needs. `chain` adds each hit's causal chain. `again` lets a pack give what its session was already given.
         */
        Query: {
            /** @default [] */
            actors?: string[];
            /** @default null */
            after?: string | null;
            /** @default false */
            again?: boolean;
            /** @default null */
            args?: unknown;
            /** @default null */
            as_of?: string | null;
            /** @default null */
            before?: string | null;
            /** @default false */
            chain?: boolean;
            /** @default [] */
            channels?: string[];
            /** @default [] */
            entities?: string[];
            /** @default {} */
            environment?: {
                [key: string]: string;
            };
            /** @default false */
            history?: boolean;
            /** @default [] */
            keys?: string[];
            /** @default [] */
            kinds?: string[];
            /** @default null */
            known_at?: string | null;
            /** @default [] */
            layers?: string[];
            /** @default 10 */
            limit?: number;
            /** @default [] */
            linked_to?: string[];
            /** @default 0 */
            min_confidence?: number;
            /** @default null */
            now?: string | null;
            /**
             * @default relevance
             * @enum {unknown}
             */
            order?: "relevance" | "time";
            /** @default [] */
            origins?: string[];
            /** @default [] */
            sessions?: string[];
            /** @default [] */
            speakers?: string[];
            /** @default [] */
            tags?: string[];
            /** @default [] */
            tasks?: string[];
            /** @default  */
            text?: string;
            /** @default  */
            tool?: string;
            /** @default [] */
            types?: string[];
            /** @default  */
            tz?: string;
        };
        /**
         * Rank
         * @description Where a channel put an item: its rank from 1 and its score.
         */
        Rank: {
            rank: number;
            score: number;
        };
        /**
         * Recall
         * @description The answer to a query: items, best first (or in time order), conflicts to ask the user about, and the report.
         */
        Recall: {
            conflicts: Record<string, never>[];
            items: components["schemas"]["Item"][];
            report: components["schemas"]["Report"];
        };
        /**
         * Report
         * @description How a recall came about: the plan, milliseconds by step, channels that failed and why, and why it is empty if it is.
         */
        Report: {
            candidates: {
                [key: string]: number;
            };
            empty: string;
            failed: {
                [key: string]: string;
            };
            plan: Record<string, never>;
            timings: {
                [key: string]: number;
            };
        };
        /**
         * Scope
         * @description Where a record lives. An absent part is the empty value, compared by equality like any other: no wildcard, no prefix.
         */
        Scope: {
            /** @default  */
            agent?: string;
            /** @default  */
            group?: string;
            /** @default 0 */
            sensitivity?: number;
            /** @default  */
            session?: string;
            /** @default private */
            space?: string;
            /** @default  */
            task?: string;
            /** @default  */
            tenant?: string;
            /** @default  */
            user?: string;
        };
        /**
         * Session
         * @description What is known of one session as a whole; folded from its events as they are kept.
         *
         *     One is kept for each compartment (space, agent, task, sensitivity) of a session, so that its counts tell nobody of events that he
         *     may not see; `model.join_sessions` adds up those that the asker may. `id` is the compartment's, `scope.session` the session's.
         */
        Session: {
            /** @default {} */
            actor?: components["schemas"]["Actor"];
            at: string;
            /** @default 0 */
            cost?: number;
            /** @default 0 */
            errors?: number;
            /** @default 0 */
            events?: number;
            /** @default null */
            forgotten_at?: string | null;
            id: string;
            /** @default session */
            kind?: string;
            /** @default {} */
            kinds?: {
                [key: string]: number;
            };
            last_at: string;
            /** @default  */
            model?: string;
            /** @default {} */
            params?: Record<string, never>;
            /** @default 0 */
            position?: number;
            scope: components["schemas"]["Scope"];
            /** @default ok */
            status?: string;
            /** @default  */
            title?: string;
            /** @default 0 */
            tokens_in?: number;
            /** @default 0 */
            tokens_out?: number;
            /** @enum {unknown} */
            type: "session";
        };
        /**
         * SessionPage
         * @description One page of sessions.
         */
        SessionPage: {
            cursor: string;
            items: components["schemas"]["Session"][];
        };
        /**
         * Settled
         * @description How many changes still wait, and how many records lack vectors for good, since the model refused their texts.
         */
        Settled: {
            refused: number;
            waiting: number;
        };
        /**
         * Source
         * @description Where an event was seen: framework, its version, the hook, and the ids that the framework itself uses.
         */
        Source: {
            /** @default  */
            file?: string;
            /** @default  */
            framework?: string;
            /** @default  */
            hook?: string;
            /** @default 0 */
            line?: number;
            /** @default  */
            native_id?: string;
            /** @default  */
            native_parent_id?: string;
            /** @default  */
            native_session_id?: string;
            /** @default  */
            span_id?: string;
            /** @default  */
            trace_id?: string;
            /** @default  */
            version?: string;
        };
        /**
         * State
         * @description The working memory of one task, keyed by (owner, key); structured fields, not prose (mission W1, W2).
         *
         *     `key` is the semantic context key {task_type}_{entity_id}. `version` is the optimistic lock; `signature` names the business rules
         *     under which it was made, so that changed rules retire it.
         */
        State: {
            /** @default {} */
            actor?: components["schemas"]["Actor"];
            /** @default null */
            created_at?: string | null;
            /** @default null */
            expires_at?: string | null;
            /** @default {} */
            fields?: {
                [key: string]: components["schemas"]["Field"];
            };
            /** @default null */
            forgotten_at?: string | null;
            key: string;
            /** @default task */
            memory_type?: string;
            scope: components["schemas"]["Scope"];
            /** @default  */
            signature?: string;
            /** @default  */
            step?: string;
            /** @default null */
            updated_at?: string | null;
            /** @default 0 */
            version?: number;
        };
        /**
         * StatePage
         * @description One page of states.
         */
        StatePage: {
            cursor: string;
            items: components["schemas"]["State"][];
        };
        /**
         * Tool
         * @description The tool of a tool_call or tool_result. `call_id` is unique inside its session only.
         */
        Tool: {
            /** @default null */
            args?: unknown;
            /** @default 0 */
            attempt?: number;
            /** @default  */
            call_id?: string;
            /** @default  */
            name?: string;
        };
        /**
         * Trace
         * @description The causal graph of a run: its events in order, and the links among them.
         */
        Trace: {
            events: (components["schemas"]["Event"] | components["schemas"]["Memory"] | components["schemas"]["Session"])[];
            links: components["schemas"]["Link"][];
        };
        /**
         * Written
         * @description The id of a kept memory, its status (erased: it was, and stays so), and the ids that it superseded.
         *
         *     `seen`: it was there already, and nothing changed.
         */
        Written: {
            id: string;
            seen: boolean;
            status: string;
            superseded: string[];
        };
    };
    responses: {
        /** @description Not to be read as HTTP should be */
        Problem400: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description A key is needed, or the one shown is not valid */
        Problem401: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description This credential may not do that */
        Problem403: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Unknown, forgotten and somebody else's alike */
        Problem404: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Not a method of this path */
        Problem405: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The body came too slowly */
        Problem408: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description A stale version, the same id with other content, or vectors of another model */
        Problem409: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The version is not the one of If-Match */
        Problem412: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Too large */
        Problem413: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The address is too long */
        Problem414: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description A coding or type that is not known */
        Problem415: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The input makes no sense; the detail says why */
        Problem422: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Too many requests of this credential */
        Problem429: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Too many headers */
        Problem431: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description A fault of the server */
        Problem500: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The store cannot serve now, or too many ask at once */
        Problem503: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    changes: {
        parameters: {
            query?: {
                agent?: string;
                clearance?: number;
                cursor?: string;
                groups?: string[];
                limit?: number;
                private?: boolean;
                session?: string;
                task?: string;
                tenant?: string;
                user?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangePage"];
                    "text/event-stream": string;
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            405: components["responses"]["Problem405"];
            408: components["responses"]["Problem408"];
            409: components["responses"]["Problem409"];
            412: components["responses"]["Problem412"];
            413: components["responses"]["Problem413"];
            414: components["responses"]["Problem414"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    context: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "user": "u1",
                 *       "session": "s2",
                 *       "query": "continue the crawler task",
                 *       "budget": 2000
                 *     }
                 */
                "application/json": {
                    actors?: string[];
                    after?: string | null;
                    again?: boolean;
                    agent?: string;
                    args?: unknown;
                    as_of?: string | null;
                    before?: string | null;
                    budget?: number;
                    chain?: boolean;
                    channels?: string[];
                    clearance?: number;
                    entities?: string[];
                    environment?: {
                        [key: string]: string;
                    };
                    groups?: string[];
                    history?: boolean;
                    keys?: string[];
                    kinds?: string[];
                    known_at?: string | null;
                    layers?: string[];
                    limit?: number;
                    linked_to?: string[];
                    min_confidence?: number;
                    now?: string | null;
                    /** @enum {unknown} */
                    order?: "relevance" | "time";
                    origins?: string[];
                    private?: boolean;
                    query: string | Record<string, never>;
                    session?: string;
                    sessions?: string[];
                    /** @enum {unknown} */
                    shape?: "anthropic" | "gemini" | "openai";
                    speakers?: string[];
                    system?: string;
                    tags?: string[];
                    task?: string;
                    tasks?: string[];
                    tenant?: string;
                    text?: string;
                    tool?: string;
                    types?: string[];
                    tz?: string;
                    user?: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pack"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            405: components["responses"]["Problem405"];
            408: components["responses"]["Problem408"];
            409: components["responses"]["Problem409"];
            412: components["responses"]["Problem412"];
            413: components["responses"]["Problem413"];
            414: components["responses"]["Problem414"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    append: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "user": "u1",
                 *       "session": "s1",
                 *       "events": [
                 *         {
                 *           "kind": "user_message",
                 *           "text": "以后用飞书通知我"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": {
                    agent?: string;
                    aliases?: {
                        [key: string]: string;
                    };
                    clearance?: number;
                    events: (components["schemas"]["EventDraft"] | components["schemas"]["Event"])[];
                    groups?: string[];
                    private?: boolean;
                    session?: string;
                    task?: string;
                    tenant?: string;
                    user?: string;
                };
                "application/x-ndjson": string;
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Appended"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            405: components["responses"]["Problem405"];
            408: components["responses"]["Problem408"];
            409: components["responses"]["Problem409"];
            412: components["responses"]["Problem412"];
            413: components["responses"]["Problem413"];
            414: components["responses"]["Problem414"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    explain: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "user": "u1",
                 *       "query": "notifications",
                 *       "expect": "m1"
                 *     }
                 */
                "application/json": {
                    actors?: string[];
                    after?: string | null;
                    again?: boolean;
                    agent?: string;
                    args?: unknown;
                    as_of?: string | null;
                    before?: string | null;
                    chain?: boolean;
                    channels?: string[];
                    clearance?: number;
                    entities?: string[];
                    environment?: {
                        [key: string]: string;
                    };
                    expect: string;
                    groups?: string[];
                    history?: boolean;
                    keys?: string[];
                    kinds?: string[];
                    known_at?: string | null;
                    layers?: string[];
                    limit?: number;
                    linked_to?: string[];
                    min_confidence?: number;
                    now?: string | null;
                    /** @enum {unknown} */
                    order?: "relevance" | "time";
                    origins?: string[];
                    private?: boolean;
                    query: string | Record<string, never>;
                    session?: string;
                    sessions?: string[];
                    speakers?: string[];
                    tags?: string[];
                    task?: string;
                    tasks?: string[];
                    tenant?: string;
                    text?: string;
                    tool?: string;
                    types?: string[];
                    tz?: string;
                    user?: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Explanation"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            405: components["responses"]["Problem405"];
            408: components["responses"]["Problem408"];
            409: components["responses"]["Problem409"];
            412: components["responses"]["Problem412"];
            413: components["responses"]["Problem413"];
            414: components["responses"]["Problem414"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    health: {
        parameters: {
            query?: {
                agent?: string;
                clearance?: number;
                groups?: string[];
                private?: boolean;
                session?: string;
                task?: string;
                tenant?: string;
                user?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            405: components["responses"]["Problem405"];
            408: components["responses"]["Problem408"];
            409: components["responses"]["Problem409"];
            412: components["responses"]["Problem412"];
            413: components["responses"]["Problem413"];
            414: components["responses"]["Problem414"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    key_list: {
        parameters: {
            query?: {
                agent?: string;
                clearance?: number;
                groups?: string[];
                private?: boolean;
                session?: string;
                task?: string;
                tenant?: string;
                user?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyPage"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            405: components["responses"]["Problem405"];
            408: components["responses"]["Problem408"];
            409: components["responses"]["Problem409"];
            412: components["responses"]["Problem412"];
            413: components["responses"]["Problem413"];
            414: components["responses"]["Problem414"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    key_create: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "name": "phone",
                 *       "user": "u1"
                 *     }
                 */
                "application/json": {
                    agent?: string;
                    clearance?: number | null;
                    expires_at?: string | null;
                    groups?: string[];
                    kinds?: string[] | null;
                    name?: string;
                    private?: boolean;
                    roles?: string[];
                    session?: string;
                    task?: string;
                    tenant?: string;
                    user?: string;
                };
            };
        };
        responses: {
            /** @description Done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyMade"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            405: components["responses"]["Problem405"];
            408: components["responses"]["Problem408"];
            409: components["responses"]["Problem409"];
            412: components["responses"]["Problem412"];
            413: components["responses"]["Problem413"];
            414: components["responses"]["Problem414"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    key_revoke: {
        parameters: {
            query?: {
                agent?: string;
                clearance?: number;
                groups?: string[];
                private?: boolean;
                session?: string;
                task?: string;
                tenant?: string;
                user?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Key"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            405: components["responses"]["Problem405"];
            408: components["responses"]["Problem408"];
            409: components["responses"]["Problem409"];
            412: components["responses"]["Problem412"];
            413: components["responses"]["Problem413"];
            414: components["responses"]["Problem414"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    list: {
        parameters: {
            query?: {
                actors?: string[];
                after?: string | null;
                again?: boolean;
                agent?: string;
                as_of?: string | null;
                before?: string | null;
                chain?: boolean;
                channels?: string[];
                clearance?: number;
                cursor?: string;
                entities?: string[];
                groups?: string[];
                history?: boolean;
                keys?: string[];
                kinds?: string[];
                known_at?: string | null;
                layers?: string[];
                limit?: number;
                linked_to?: string[];
                min_confidence?: number;
                now?: string | null;
                order?: "-time" | "time";
                origins?: string[];
                private?: boolean;
                session?: string;
                sessions?: string[];
                speakers?: string[];
                tags?: string[];
                task?: string;
                tasks?: string[];
                tenant?: string;
                text?: string;
                tool?: string;
                types?: string[];
                tz?: string;
                user?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            405: components["responses"]["Problem405"];
            408: components["responses"]["Problem408"];
            409: components["responses"]["Problem409"];
            412: components["responses"]["Problem412"];
            413: components["responses"]["Problem413"];
            414: components["responses"]["Problem414"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    write: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "user": "u1",
                 *       "text": "prefers Feishu for notifications",
                 *       "kind": "preference",
                 *       "key": "notification.channel"
                 *     }
                 */
                "application/json": {
                    agent?: string;
                    at?: string | null;
                    clearance?: number;
                    confidence?: number;
                    entities?: string[];
                    environment?: {
                        [key: string]: string;
                    };
                    evidence?: components["schemas"]["Evidence"];
                    expires_at?: string | null;
                    group?: string;
                    groups?: string[];
                    id?: string;
                    importance?: number;
                    key?: string;
                    kind?: string;
                    layer?: string;
                    private?: boolean;
                    sensitivity?: number;
                    session?: string;
                    space?: string;
                    tags?: string[];
                    task?: string;
                    tenant?: string;
                    text: string;
                    trust?: string;
                    user?: string;
                    valid_from?: string | null;
                    valid_to?: string | null;
                    value?: unknown;
                };
            };
        };
        responses: {
            /** @description Done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Written"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            405: components["responses"]["Problem405"];
            408: components["responses"]["Problem408"];
            409: components["responses"]["Problem409"];
            412: components["responses"]["Problem412"];
            413: components["responses"]["Problem413"];
            414: components["responses"]["Problem414"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    get: {
        parameters: {
            query?: {
                agent?: string;
                clearance?: number;
                groups?: string[];
                private?: boolean;
                session?: string;
                task?: string;
                tenant?: string;
                user?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": (components["schemas"]["Event"] | components["schemas"]["Memory"] | components["schemas"]["Session"]) | null;
                };
            };
            /** @description The version is the one of If-None-Match */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            405: components["responses"]["Problem405"];
            408: components["responses"]["Problem408"];
            409: components["responses"]["Problem409"];
            412: components["responses"]["Problem412"];
            413: components["responses"]["Problem413"];
            414: components["responses"]["Problem414"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    forget: {
        parameters: {
            query?: {
                agent?: string;
                clearance?: number;
                erase?: boolean;
                groups?: string[];
                private?: boolean;
                reason?: string;
                session?: string;
                task?: string;
                tenant?: string;
                user?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forgotten"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            405: components["responses"]["Problem405"];
            408: components["responses"]["Problem408"];
            409: components["responses"]["Problem409"];
            412: components["responses"]["Problem412"];
            413: components["responses"]["Problem413"];
            414: components["responses"]["Problem414"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    update: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "user": "u1",
                 *       "text": "prefers e-mail",
                 *       "version": 1
                 *     }
                 */
                "application/json": {
                    agent?: string;
                    clearance?: number;
                    confidence?: number | null;
                    groups?: string[];
                    importance?: number | null;
                    private?: boolean;
                    session?: string;
                    tags?: string[] | null;
                    task?: string;
                    tenant?: string;
                    text?: string | null;
                    user?: string;
                    value?: unknown;
                    version?: number | null;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Memory"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            405: components["responses"]["Problem405"];
            408: components["responses"]["Problem408"];
            409: components["responses"]["Problem409"];
            412: components["responses"]["Problem412"];
            413: components["responses"]["Problem413"];
            414: components["responses"]["Problem414"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    body: {
        parameters: {
            query?: {
                agent?: string;
                clearance?: number;
                groups?: string[];
                private?: boolean;
                ref?: string;
                session?: string;
                task?: string;
                tenant?: string;
                user?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            405: components["responses"]["Problem405"];
            408: components["responses"]["Problem408"];
            409: components["responses"]["Problem409"];
            412: components["responses"]["Problem412"];
            413: components["responses"]["Problem413"];
            414: components["responses"]["Problem414"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    history: {
        parameters: {
            query?: {
                agent?: string;
                clearance?: number;
                groups?: string[];
                private?: boolean;
                session?: string;
                task?: string;
                tenant?: string;
                user?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["History"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            405: components["responses"]["Problem405"];
            408: components["responses"]["Problem408"];
            409: components["responses"]["Problem409"];
            412: components["responses"]["Problem412"];
            413: components["responses"]["Problem413"];
            414: components["responses"]["Problem414"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    purge: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "now": true
                 *     }
                 */
                "application/json": {
                    agent?: string;
                    clearance?: number;
                    groups?: string[];
                    now?: boolean;
                    private?: boolean;
                    session?: string;
                    task?: string;
                    tenant?: string;
                    user?: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Purged"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            405: components["responses"]["Problem405"];
            408: components["responses"]["Problem408"];
            409: components["responses"]["Problem409"];
            412: components["responses"]["Problem412"];
            413: components["responses"]["Problem413"];
            414: components["responses"]["Problem414"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    query: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "user": "u1",
                 *       "text": "怎么通知我?",
                 *       "limit": 5
                 *     }
                 */
                "application/json": {
                    actors?: string[];
                    after?: string | null;
                    again?: boolean;
                    agent?: string;
                    args?: unknown;
                    as_of?: string | null;
                    before?: string | null;
                    chain?: boolean;
                    channels?: string[];
                    clearance?: number;
                    entities?: string[];
                    environment?: {
                        [key: string]: string;
                    };
                    groups?: string[];
                    history?: boolean;
                    keys?: string[];
                    kinds?: string[];
                    known_at?: string | null;
                    layers?: string[];
                    limit?: number;
                    linked_to?: string[];
                    min_confidence?: number;
                    now?: string | null;
                    /** @enum {unknown} */
                    order?: "relevance" | "time";
                    origins?: string[];
                    private?: boolean;
                    /** @description Another name of text. */
                    query?: string;
                    session?: string;
                    sessions?: string[];
                    speakers?: string[];
                    tags?: string[];
                    task?: string;
                    tasks?: string[];
                    tenant?: string;
                    text?: string;
                    tool?: string;
                    types?: string[];
                    tz?: string;
                    user?: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Recall"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            405: components["responses"]["Problem405"];
            408: components["responses"]["Problem408"];
            409: components["responses"]["Problem409"];
            412: components["responses"]["Problem412"];
            413: components["responses"]["Problem413"];
            414: components["responses"]["Problem414"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    sessions: {
        parameters: {
            query?: {
                actors?: string[];
                after?: string | null;
                again?: boolean;
                agent?: string;
                as_of?: string | null;
                before?: string | null;
                chain?: boolean;
                channels?: string[];
                clearance?: number;
                cursor?: string;
                entities?: string[];
                groups?: string[];
                history?: boolean;
                keys?: string[];
                kinds?: string[];
                known_at?: string | null;
                layers?: string[];
                limit?: number;
                linked_to?: string[];
                min_confidence?: number;
                now?: string | null;
                order?: "-time" | "time";
                origins?: string[];
                private?: boolean;
                session?: string;
                sessions?: string[];
                speakers?: string[];
                tags?: string[];
                task?: string;
                tasks?: string[];
                tenant?: string;
                text?: string;
                tool?: string;
                types?: string[];
                tz?: string;
                user?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionPage"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            405: components["responses"]["Problem405"];
            408: components["responses"]["Problem408"];
            409: components["responses"]["Problem409"];
            412: components["responses"]["Problem412"];
            413: components["responses"]["Problem413"];
            414: components["responses"]["Problem414"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    trace: {
        parameters: {
            query?: {
                agent?: string;
                clearance?: number;
                depth?: number;
                groups?: string[];
                id?: string;
                limit?: number;
                private?: boolean;
                session?: string;
                task?: string;
                tenant?: string;
                user?: string;
            };
            header?: never;
            path: {
                session: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Trace"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            405: components["responses"]["Problem405"];
            408: components["responses"]["Problem408"];
            409: components["responses"]["Problem409"];
            412: components["responses"]["Problem412"];
            413: components["responses"]["Problem413"];
            414: components["responses"]["Problem414"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    settle: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "timeout": 60
                 *     }
                 */
                "application/json": {
                    agent?: string;
                    clearance?: number;
                    groups?: string[];
                    private?: boolean;
                    session?: string;
                    task?: string;
                    tenant?: string;
                    timeout?: number;
                    user?: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Settled"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            405: components["responses"]["Problem405"];
            408: components["responses"]["Problem408"];
            409: components["responses"]["Problem409"];
            412: components["responses"]["Problem412"];
            413: components["responses"]["Problem413"];
            414: components["responses"]["Problem414"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    state_list: {
        parameters: {
            query?: {
                actors?: string[];
                after?: string | null;
                again?: boolean;
                agent?: string;
                as_of?: string | null;
                before?: string | null;
                chain?: boolean;
                channels?: string[];
                clearance?: number;
                cursor?: string;
                entities?: string[];
                groups?: string[];
                history?: boolean;
                keys?: string[];
                kinds?: string[];
                known_at?: string | null;
                layers?: string[];
                limit?: number;
                linked_to?: string[];
                min_confidence?: number;
                now?: string | null;
                order?: "-time" | "time";
                origins?: string[];
                private?: boolean;
                session?: string;
                sessions?: string[];
                speakers?: string[];
                tags?: string[];
                task?: string;
                tasks?: string[];
                tenant?: string;
                text?: string;
                tool?: string;
                types?: string[];
                tz?: string;
                user?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StatePage"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            405: components["responses"]["Problem405"];
            408: components["responses"]["Problem408"];
            409: components["responses"]["Problem409"];
            412: components["responses"]["Problem412"];
            413: components["responses"]["Problem413"];
            414: components["responses"]["Problem414"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    state_get: {
        parameters: {
            query?: {
                agent?: string;
                clearance?: number;
                groups?: string[];
                private?: boolean;
                session?: string;
                task?: string;
                tenant?: string;
                user?: string;
            };
            header?: never;
            path: {
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["State"] | null;
                };
            };
            /** @description The version is the one of If-None-Match */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            405: components["responses"]["Problem405"];
            408: components["responses"]["Problem408"];
            409: components["responses"]["Problem409"];
            412: components["responses"]["Problem412"];
            413: components["responses"]["Problem413"];
            414: components["responses"]["Problem414"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    state_put: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                key: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "user": "u1",
                 *       "fields": {
                 *         "city": "成都"
                 *       },
                 *       "step": "hotel"
                 *     }
                 */
                "application/json": {
                    agent?: string;
                    clearance?: number;
                    expires_at?: string | null;
                    fields?: {
                        [key: string]: components["schemas"]["Field"];
                    };
                    groups?: string[];
                    memory_type?: string;
                    private?: boolean;
                    replace?: boolean;
                    sensitivity?: number | null;
                    session?: string;
                    signature?: string;
                    step?: string;
                    task?: string;
                    tenant?: string;
                    user?: string;
                    version?: number | null;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["State"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            405: components["responses"]["Problem405"];
            408: components["responses"]["Problem408"];
            409: components["responses"]["Problem409"];
            412: components["responses"]["Problem412"];
            413: components["responses"]["Problem413"];
            414: components["responses"]["Problem414"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    state_delete: {
        parameters: {
            query?: {
                agent?: string;
                clearance?: number;
                groups?: string[];
                private?: boolean;
                session?: string;
                task?: string;
                tenant?: string;
                user?: string;
            };
            header?: never;
            path: {
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Nothing"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            405: components["responses"]["Problem405"];
            408: components["responses"]["Problem408"];
            409: components["responses"]["Problem409"];
            412: components["responses"]["Problem412"];
            413: components["responses"]["Problem413"];
            414: components["responses"]["Problem414"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    state_set: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                key: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "user": "u1",
                 *       "fields": {
                 *         "city": "成都"
                 *       },
                 *       "step": "hotel"
                 *     }
                 */
                "application/json": {
                    agent?: string;
                    clearance?: number;
                    expires_at?: string | null;
                    fields?: {
                        [key: string]: components["schemas"]["Field"];
                    };
                    groups?: string[];
                    memory_type?: string;
                    private?: boolean;
                    replace?: boolean;
                    sensitivity?: number | null;
                    session?: string;
                    signature?: string;
                    step?: string;
                    task?: string;
                    tenant?: string;
                    user?: string;
                    version?: number | null;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["State"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            405: components["responses"]["Problem405"];
            408: components["responses"]["Problem408"];
            409: components["responses"]["Problem409"];
            412: components["responses"]["Problem412"];
            413: components["responses"]["Problem413"];
            414: components["responses"]["Problem414"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    state_history: {
        parameters: {
            query?: {
                agent?: string;
                clearance?: number;
                groups?: string[];
                private?: boolean;
                session?: string;
                task?: string;
                tenant?: string;
                user?: string;
            };
            header?: never;
            path: {
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StatePage"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            405: components["responses"]["Problem405"];
            408: components["responses"]["Problem408"];
            409: components["responses"]["Problem409"];
            412: components["responses"]["Problem412"];
            413: components["responses"]["Problem413"];
            414: components["responses"]["Problem414"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    trace_bare: {
        parameters: {
            query?: {
                agent?: string;
                clearance?: number;
                depth?: number;
                groups?: string[];
                id?: string;
                limit?: number;
                private?: boolean;
                session?: string;
                task?: string;
                tenant?: string;
                user?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Trace"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            405: components["responses"]["Problem405"];
            408: components["responses"]["Problem408"];
            409: components["responses"]["Problem409"];
            412: components["responses"]["Problem412"];
            413: components["responses"]["Problem413"];
            414: components["responses"]["Problem414"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    whoami: {
        parameters: {
            query?: {
                agent?: string;
                clearance?: number;
                groups?: string[];
                private?: boolean;
                session?: string;
                task?: string;
                tenant?: string;
                user?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Principal"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            405: components["responses"]["Problem405"];
            408: components["responses"]["Problem408"];
            409: components["responses"]["Problem409"];
            412: components["responses"]["Problem412"];
            413: components["responses"]["Problem413"];
            414: components["responses"]["Problem414"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
}
