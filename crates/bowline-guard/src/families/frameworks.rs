//! Frameworks that manage a database: resets, wipes and steps back.

use crate::effect::Effect;
use crate::invocation::Stdin;

use super::Run;
use super::args::{Parsed, Spec, parse, word};
use super::database::{Worth, is_disposable, statement_effects};
use super::rule::rules;
use super::sql::Backslash;
use super::table::{Row, Table};

rules! {
    RESET = Database, "framework.reset", "Drops or empties the application's database",
        instead "go forward with a migration; for a clean start use a database of its own for tests";
    BACK = Database, "framework.migrate-back", "Takes migrations back, with the data in what they made",
        instead "look at the state of the migrations first";
    DATA = Database, "framework.data", "Changes or deletes data of the application",
        instead "look first at what would change with a query that only counts";
}

const DJANGO: &[&str] = &["manage.py", "django-admin", "manage"];
const LARAVEL: &[&str] = &["artisan"];
const SYMFONY: &[&str] = &["console", "symfony", "doctrine", "doctrine-migrations"];

#[rustfmt::skip]
pub(super) static ROWS: Table = Table::new(&[
    Row::grave(DJANGO, "flush|reset_db|sqlflush_run|drop_test_database|zap", &RESET, "empties the database of the project"),
    Row::doubtful(DJANGO, "delete_stale_contenttypes|remove_stale_contenttypes", &DATA, "deletes rows that seem unused"),
    Row::grave(LARAVEL, "migrate:fresh|migrate:reset|db:wipe|migrate:refresh", &RESET, "drops the tables of the application"),
    Row::doubtful(LARAVEL, "migrate:rollback|queue:flush|queue:clear|model:prune|telescope:clear", &BACK, "takes back what was done: {}"),
    Row::grave(SYMFONY, "doctrine:database:drop|doctrine:schema:drop|orm:schema-tool:drop|d:d:d|d:s:d", &RESET, "drops the database of the application").with(&["force", "f", "full-database"]),
    Row::doubtful(SYMFONY, "doctrine:schema:update|orm:schema-tool:update", &BACK, "changes the schema without a migration").with(&["force", "f", "complete"]),
    Row::grave(SYMFONY, "doctrine:fixtures:load|hautelook:fixtures:load", &RESET, "empties the database and loads fixtures").with(&["n", "no-interaction", "purge-with-truncate"]),
    Row::doubtful(SYMFONY, "doctrine:fixtures:load", &RESET, "empties the database and loads fixtures"),
    Row::grave(&["prisma"], "migrate reset", &RESET, "drops the database and applies every migration again"),
    Row::grave(&["prisma"], "db push", &RESET, "resets the database").with(&["force-reset", "accept-data-loss"]),
    Row::doubtful(&["prisma"], "db execute", &DATA, "runs statements on the database"),
    Row::grave(&["sequelize", "sequelize-cli"], "db:drop|db:migrate:undo:all", &RESET, "drops the database or all its tables"),
    Row::doubtful(&["sequelize", "sequelize-cli"], "db:migrate:undo|db:seed:undo|db:seed:undo:all", &BACK, "takes a migration back"),
    Row::grave(&["typeorm", "typeorm-ts-node-commonjs", "typeorm-ts-node-esm", "mikro-orm"], "schema:drop|schema:fresh|migration:fresh|database:drop", &RESET, "drops the schema of the database"),
    Row::doubtful(&["typeorm", "typeorm-ts-node-commonjs", "typeorm-ts-node-esm", "mikro-orm"], "migration:revert|migration:down", &BACK, "takes a migration back"),
    Row::grave(&["knex"], "migrate:rollback", &BACK, "takes every migration back").with(&["all"]),
    Row::doubtful(&["knex"], "migrate:rollback|migrate:down", &BACK, "takes a migration back"),
    Row::grave(&["drizzle-kit"], "drop", &RESET, "drops migrations"),
    Row::doubtful(&["drizzle-kit"], "push", &BACK, "changes the schema without a migration").with(&["force"]),
    Row::grave(&["mix"], "ecto.drop|ecto.reset|ash.reset|ash_postgres.drop", &RESET, "drops the database of the application"),
    Row::doubtful(&["mix"], "ecto.rollback", &BACK, "takes a migration back"),
    Row::grave(&["diesel"], "database reset|drop", &RESET, "drops the database"),
    Row::doubtful(&["diesel"], "migration revert|redo", &BACK, "takes a migration back"),
    Row::grave(&["sqlx"], "database drop|reset", &RESET, "drops the database"),
    Row::doubtful(&["sqlx"], "migrate revert", &BACK, "takes a migration back"),
    Row::grave(&["sea-orm-cli"], "migrate fresh|reset|refresh", &RESET, "drops every table"),
    Row::doubtful(&["sea-orm-cli"], "migrate down", &BACK, "takes a migration back"),
    Row::grave(&["dotnet-ef"], "database drop", &RESET, "drops the database"),
    Row::doubtful(&["dotnet-ef"], "migrations remove", &BACK, "removes a migration"),
    Row::grave(&["flyway"], "clean", &RESET, "drops every object of the schema"),
    Row::doubtful(&["flyway"], "undo|repair", &BACK, "takes a migration back"),
    Row::grave(&["liquibase"], "dropAll|drop-all", &RESET, "drops every object of the schema"),
    Row::doubtful(&["liquibase"], "rollback|rollbackCount|rollback-count|rollback-to-date|rollbackToDate|rollback-one-update", &BACK, "takes changes back"),
    Row::grave(&["dbmate"], "drop", &RESET, "drops the database"),
    Row::doubtful(&["dbmate"], "rollback|down", &BACK, "takes a migration back"),
    Row::grave(&["goose", "migrate", "tern"], "reset|drop|down-to", &RESET, "takes every migration back"),
    Row::doubtful(&["goose", "tern"], "down|redo", &BACK, "takes a migration back"),
    Row::grave(&["atlas"], "schema clean", &RESET, "drops every object of the schema"),
    Row::doubtful(&["atlas"], "schema apply", &BACK, "changes the schema").with(&["auto-approve"]),
    Row::grave(&["drush"], "sql-drop|sql:drop|site-install|site:install|si|entity:delete|edel", &RESET, "drops or replaces the site's data"),
    Row::doubtful(&["drush"], "sql-sync|sql:sync|pm:uninstall|pmu|pm-uninstall|config:delete|config:import|cim|watchdog:delete|user:cancel|migrate:rollback|state:delete", &DATA, "changes the site's data"),
    Row::grave(&["wp"], "db reset|drop|clean", &RESET, "drops the site's tables"),
    Row::grave(&["wp"], "site empty|delete", &RESET, "deletes the site's content"),
    Row::fine(&["wp"], "search-replace").with(&["dry-run", "export"]),
    Row::doubtful(&["wp"], "search-replace", &DATA, "replaces text in the whole database"),
    Row::doubtful(&["wp"], "post|user|term|comment|option|plugin|theme|menu|media delete|uninstall|spam|trash", &DATA, "deletes content of the site: {}"),
    Row::doubtful(&["supabase"], "db reset", &RESET, "resets the database"),
    Row::grave(&["supabase"], "projects|branches|storage delete|rm", &RESET, "deletes {}"),
    Row::doubtful(&["supabase"], "migration repair|down", &BACK, "takes a migration back"),
    Row::grave(&["hasura"], "metadata clear|reset", &RESET, "deletes the metadata"),
    Row::doubtful(&["hasura"], "migrate apply", &BACK, "takes migrations back").with(&["down"]),
    Row::grave(&["firebase"], "firestore:delete|database:remove|database:set|hosting:disable|auth:delete|projects:delete", &RESET, "deletes data of {}"),
    Row::doubtful(&["firebase"], "functions:delete|apps:delete|hosting:channel:delete", &DATA, "deletes {}"),
    Row::grave(&["medusa", "strapi", "payload", "directus"], "db:drop|migrate:fresh|migrate:reset|database:drop", &RESET, "drops the database"),
    Row::grave(&["airflow", "superset"], "db reset|clean|drop-archived", &RESET, "deletes the metadata database"),
    Row::doubtful(&["airflow"], "dags delete", &DATA, "deletes the history of {}"),
    Row::grave(&["rasa", "mlflow"], "gc|db_drop", &RESET, "deletes stored runs"),
    Row::doubtful(&["convex"], "import", &DATA, "replaces tables").with(&["replace", "replace-all"]),
    Row::grave(&["magento"], "setup:uninstall", &RESET, "deletes the shop's data"),
    Row::grave(&["craft"], "db/drop-all-tables|db/drop-table-prefix", &RESET, "drops the tables of the site"),
    Row::doubtful(&["craft"], "db/restore|migrate/down", &BACK, "replaces the database"),
    Row::grave(&["ghost", "bench"], "uninstall|drop-site|reinstall", &RESET, "deletes the site's data"),
    Row::grave(&["meteor"], "reset", &RESET, "deletes the local database"),
]);

/// Reads every word; which options take a value does not matter for these.
const SPEC: Spec = Spec::gnu(&[
    "e",
    "env",
    "environment",
    "settings",
    "schema",
    "n",
    "database",
    "d",
    "app",
    "uri",
    "root",
    "l",
    "path",
    "url",
]);

pub(super) fn effects(run: Run<'_>) -> Vec<Effect> {
    let known = ROWS.knows(run.name)
        || matches!(
            run.name,
            "rails"
                | "rake"
                | "hanami"
                | "alembic"
                | "flask"
                | "aerich"
                | "quart"
                | "heroku"
                | "wrangler"
        );
    if !known {
        return Vec::new();
    }
    let parsed = parse(run.args, &SPEC);
    if parsed.is_dry_run() || parsed.is_on(&["dump-sql", "sql", "pretend"]) {
        return Vec::new();
    }
    let mut found: Vec<Effect> = Vec::new();
    match run.name {
        "rails" | "rake" | "hanami" => found.extend(rails(run, &parsed)),
        "alembic" | "flask" | "aerich" | "quart" => found.extend(alembic(&parsed)),
        "manage.py" | "django-admin" | "manage" => found.extend(django(run, &parsed)),
        _ => {}
    }
    let texts = statements(run, &parsed);
    // Statements that are there to be read need no guess.
    let known = run.name == "prisma" && !texts.is_empty();
    found.extend(texts.iter().flat_map(|text| {
        let text = text.strip_prefix("--command=").unwrap_or(text);
        statement_effects(text, Backslash::Escapes, Worth::Real)
    }));
    if found.is_empty() && !known {
        let reset = ROWS.first(run, &parsed);
        found.extend(reset.map(|effect| soften(effect, run)));
    }
    found
}

/// In a test or development environment that is named, a reset only needs a confirmation.
fn soften(mut effect: Effect, run: Run<'_>) -> Effect {
    let named = run.invocation.environment.iter().any(|(name, value)| {
        matches!(
            name.as_str(),
            "RAILS_ENV"
                | "RACK_ENV"
                | "MIX_ENV"
                | "NODE_ENV"
                | "APP_ENV"
                | "FLASK_ENV"
                | "DATABASE_URL"
                | "DJANGO_SETTINGS_MODULE"
        ) && matches!(value, crate::invocation::Value::Known(text) if is_disposable(text))
    }) || run.args.iter().map(word).any(|arg| {
        arg.split_once('=').is_some_and(|(name, value)| {
            matches!(
                name,
                "RAILS_ENV" | "MIX_ENV" | "--env" | "--environment" | "--settings"
            ) && is_disposable(value)
        })
    }) || run.args.windows(2).any(|pair| {
        pair.iter().map(word).next() == Some("--settings")
            && pair.last().is_some_and(|it| is_disposable(word(it)))
    });
    if named {
        effect.gravity = crate::effect::Gravity::Doubtful;
    }
    effect
}

fn rails(run: Run<'_>, parsed: &Parsed<'_>) -> Option<Effect> {
    for task in &parsed.words {
        let task = task.split('[').next().unwrap_or(task);
        let name = task.strip_suffix(":all").unwrap_or(task);
        let found = match name {
            "db:drop" | "db:reset" | "db:migrate:reset" | "db:purge" | "db:truncate_all"
            | "db:schema:load" | "db:structure:load" | "db:seed:replant" | "db:setup:reset"
            | "db:drop:_unsafe" => {
                let mild = name.contains(":load");
                let what = format!("runs {task}, which drops or empties the database");
                if mild {
                    RESET.doubtful(what)
                } else {
                    RESET.grave(what)
                }
            }
            "db:rollback" | "db:migrate:down" | "db:migrate:redo" => {
                BACK.doubtful(format!("runs {task}, which takes a migration back"))
            }
            "db:environment:set" => DATA.doubtful("switches off the protection of a database"),
            _ if name.starts_with("db:drop:") || name.starts_with("db:reset:") => {
                let what = format!("runs {task}, which drops a database");
                if is_disposable(name) {
                    RESET.doubtful(what)
                } else {
                    RESET.grave(what)
                }
            }
            _ => continue,
        };
        return Some(soften(found, run));
    }
    None
}

fn alembic(parsed: &Parsed<'_>) -> Option<Effect> {
    let at = parsed.words.iter().position(|it| *it == "downgrade")?;
    // `-1` reads like an option and is a step.
    match parsed.at(at + 1) {
        "base" | "zero" => Some(BACK.grave("takes every migration back, with all data")),
        _ => Some(BACK.doubtful("takes migrations back")),
    }
}

fn django(run: Run<'_>, parsed: &Parsed<'_>) -> Option<Effect> {
    match parsed.at(0) {
        "migrate" if matches!(parsed.at(2), "zero") => Some(BACK.grave(format!(
            "takes every migration of {} back, with all data",
            parsed.at(1)
        ))),
        "migrate" if !parsed.at(2).is_empty() => Some(BACK.doubtful(format!(
            "migrates {} to {}, which may go back",
            parsed.at(1),
            parsed.at(2)
        ))),
        "dbshell" if matches!(&run.invocation.stdin, Stdin::Pipe(programs) if programs.iter().any(|it| it.contains("sqlflush") || it.to_ascii_lowercase().contains("drop"))) => {
            Some(RESET.grave("empties the database of the project"))
        }
        _ => None,
    }
}

/// Statements that are given to a framework's command.
fn statements<'run>(run: Run<'run>, parsed: &Parsed<'_>) -> Vec<&'run str> {
    let command = parsed.at(0);
    let takes = match run.name {
        "drush" => matches!(
            command,
            "sql-query" | "sql:query" | "sqlq" | "sql-cli" | "sql:cli" | "sqlc"
        ),
        "wp" => command == "db" && matches!(parsed.at(1), "query" | "cli"),
        "console" | "symfony" => matches!(
            command,
            "doctrine:query:sql" | "dbal:run-sql" | "doctrine:query:dql"
        ),
        "manage.py" | "django-admin" => command == "dbshell",
        "rails" => matches!(command, "dbconsole" | "db"),
        "heroku" => command == "pg:psql",
        "wrangler" => parsed.begins("d1 execute"),
        "prisma" => parsed.begins("db execute"),
        "supabase" => parsed.begins("db query"),
        _ => false,
    };
    if !takes {
        return Vec::new();
    }
    let mut texts: Vec<&str> = run
        .args
        .iter()
        .map(word)
        .filter(|it| it.contains(' '))
        .collect();
    if let Stdin::Text(text) = &run.invocation.stdin {
        texts.push(text);
    }
    texts
}
