use super::{check, each, fed, piped, verdict};

#[test]
fn statements() {
    check(
        r#"deny psql -c 'DROP TABLE carts'
         deny psql shop -Atc 'drop schema public cascade'
         deny psql --command='TRUNCATE carts, items RESTART IDENTITY'
         deny psql -d shop -c 'delete from carts;'
         deny psql -c 'select 1; DROP TABLE carts' shop
         deny psql -c 'DELETE FROM carts WHERE 1=1'
         deny psql -c 'DELETE FROM carts WHERE true' shop
         deny psql -c '/* tidy */ drop table carts -- bye'
         deny psql -c 'ALTER TABLE carts DROP COLUMN note, ADD x int'
         deny psql -c 'WITH old AS (DELETE FROM carts RETURNING *) SELECT count(*) FROM old'
         deny psql -c "DO 'BEGIN EXECUTE ''DROP TABLE carts''; END'"
         ask psql -c 'DELETE FROM carts WHERE id = 4'
         ask psql -c 'UPDATE carts SET total = 0'
         ask psql shop_test -c 'DROP TABLE carts'
         ask psql -d shop_dev -c 'TRUNCATE carts'
         ask psql -c 'DROP INDEX idx_a'
         ask psql -c 'drop view v'
         ask psql -c 'ALTER TABLE carts DROP CONSTRAINT c'
         ask psql -c 'DROP DATABASE shop_test'
         ask psql -c '\! ls'
         allow psql -c 'SELECT * FROM carts'
         allow psql -c "select 'drop table carts'"
         allow psql -c 'EXPLAIN DELETE FROM carts'
         allow psql -c "INSERT INTO notes VALUES ('; drop table x; --')"
         allow psql -c '-- drop table carts'
         allow psql -c 'CREATE TABLE IF NOT EXISTS drops (id int)'
         allow psql -c 'ALTER TABLE carts ADD COLUMN x int'
         allow psql -c 'ALTER TABLE carts ALTER COLUMN x DROP NOT NULL'
         allow psql -f migrations/003_drop_carts.sql
         allow psql -h db.example.org -U app shop
         allow psql --help
         deny mysql -uroot -psecret shop -e 'DROP TABLE carts'
         deny mysql --execute='truncate carts' shop
         deny mariadb -e 'drop database shop'
         deny mysql -e '/*!40000 DROP TABLE carts */'
         allow mysql -e "select 'it\'s; drop table carts'"
         allow mysql -e 'show tables' shop
         deny sqlite3 shop.db 'drop table carts'
         deny sqlite3 shop.db 'delete from carts'
         ask sqlite3 test.db 'drop table carts'
         ask sqlite3 shop.db "delete from carts where id=1"
         allow sqlite3 shop.db .tables
         allow sqlite3 shop.db 'select * from carts'
         deny duckdb w.db -c 'drop table facts_2024'
         deny clickhouse-client -q 'DROP TABLE events'
         deny clickhouse-client --query 'TRUNCATE TABLE events'
         allow clickhouse-client --query 'SELECT count() FROM events'
         deny cqlsh -e 'DROP KEYSPACE k'
         deny sqlcmd -S srv -Q 'DROP DATABASE shop'
         deny bq query 'DROP TABLE d.t'
         deny bq rm -t d.t
         allow bq ls d
         deny impala-shell -q 'drop table t'
         deny trino --execute 'DROP TABLE t'
         deny hive -e 'drop table t'
         deny cypher-shell 'MATCH (n) DETACH DELETE n'
         ask cypher-shell 'MATCH (n:Cart {id: 3}) DELETE n'
         allow cypher-shell 'MATCH (n) RETURN count(n)'
         deny influx -execute 'DROP MEASUREMENT cpu'
         deny dropdb shop
         ask dropdb --if-exists shop_test
         deny mysqladmin -u root drop shop
         allow mysqladmin status
         deny pg_restore --clean -d shop dump.bak
         ask pg_restore -c -d shop_dev dump.bak
         allow pg_restore -l dump.bak
         allow pg_dump shop
         deny mongorestore --drop dump/
         deny mongosh shop --eval 'db.carts.drop()'
         deny mongosh --eval 'db.dropDatabase()'
         deny mongo shop --eval 'db.carts.remove({})'
         deny mongosh --eval 'db.carts.deleteMany( { } )'
         ask mongosh --eval 'db.carts.deleteMany({paid: false})'
         ask mongosh shop_test --eval 'db.dropDatabase()'
         allow mongosh --eval 'db.carts.find()'
         deny redis-cli flushall
         deny redis-cli -h cache -n 2 FLUSHDB ASYNC
         deny redis-cli EVAL 'return redis.call("FLUSHALL")' 0
         ask redis-cli del cart:3
         ask redis-cli config set maxmemory 1gb
         allow redis-cli get cart:3
         allow redis-cli --scan
         allow redis-cli config get maxmemory"#,
    );
    assert_eq!(
        verdict(&fed("psql shop", "begin;\ndrop table carts;\ncommit;")),
        "deny"
    );
    assert_eq!(verdict(&fed("mysql shop", "select 1;")), "allow");
    assert_eq!(verdict(&fed("redis-cli", "GET a\nFLUSHALL\n")), "deny");
    assert_eq!(
        verdict(&piped(
            "psql shop",
            &["psql -Atc select 'drop table ' || t"]
        )),
        "deny"
    );
    assert_eq!(verdict(&piped("psql shop", &["pg_dump other"])), "allow");
    assert_eq!(
        verdict(&piped("mysql copy", &["mysqldump --add-drop-table shop"])),
        "allow"
    );
    let generated = each("psql shop -c $X", "psql -Atc select 'truncate ' || t");
    assert_eq!(verdict(&generated), "deny");
}

#[test]
fn queues_and_stores() {
    check(
        "deny kafka-topics.sh --bootstrap-server k:9092 --delete --topic carts
         allow kafka-topics --bootstrap-server k:9092 --list
         deny rabbitmqctl delete_queue carts
         deny rabbitmqctl purge_queue carts
         deny rabbitmqctl force_reset
         allow rabbitmqctl list_queues
         deny nats stream rm CARTS -f
         allow nats stream ls
         deny celery -A shop purge -f
         deny etcdctl del --prefix /
         ask etcdctl del /carts/3
         allow etcdctl get /carts/3
         deny consul kv delete -recurse carts
         ask consul kv delete carts/3
         ask vault kv delete secret/x
         deny vault kv metadata delete secret/x
         deny vault kv destroy -versions=1 secret/x
         deny vault secrets disable kv
         allow vault status
         deny turso db destroy shop
         deny influx bucket delete -n carts
         deny curl -XDELETE 'http://es.local:9200/_all'
         deny curl -XDELETE 'localhost:9200/*'
         ask curl -XDELETE localhost:9200/carts-2020
         deny curl -X DELETE http://127.0.0.1:5984/carts
         ask curl -X DELETE http://127.0.0.1:5984/carts/doc1
         deny curl -X DELETE http://localhost:6333/collections/items
         deny http DELETE localhost:9200/_all
         ask http DELETE https://api.example.org/items/1
         allow curl localhost:9200/_cat/indices
         deny curl -X POST localhost:9200/x/_delete_by_query -d '{\"query\":{\"match_all\":{}}}'
         deny curl 'http://localhost:8123/' -d 'DROP TABLE events'",
    );
}

#[test]
fn frameworks() {
    check(
        "deny rails db:reset
         deny bin/rails db:migrate:reset
         deny bundle exec rake db:drop
         deny rake db:purge
         ask rails db:rollback STEP=1
         ask rake db:schema:load
         ask rails db:drop RAILS_ENV=test
         allow rails db:migrate
         allow rails db:seed
         allow rails db:create
         allow rails routes
         deny python manage.py flush
         deny ./manage.py flush --noinput
         deny python3 manage.py reset_db
         deny python manage.py migrate carts zero
         ask python manage.py migrate carts 0002
         allow python manage.py migrate
         allow python manage.py migrate carts
         allow python manage.py test
         deny php artisan migrate:fresh --seed
         deny php artisan migrate:reset
         ask php artisan migrate:rollback
         allow php artisan migrate
         allow php artisan cache:clear
         deny php bin/console doctrine:database:drop --force
         allow php bin/console doctrine:schema:drop --dump-sql
         allow php bin/console doctrine:migrations:migrate
         deny bin/console doctrine:query:sql 'DROP TABLE carts'
         deny npx prisma migrate reset
         deny pnpm exec prisma db push --force-reset
         allow npx prisma migrate deploy
         allow npx prisma generate
         deny npx sequelize-cli db:drop
         ask npx sequelize db:migrate:undo
         deny npx typeorm schema:drop
         ask typeorm migration:revert
         allow typeorm migration:run
         deny knex migrate:rollback --all
         ask knex migrate:rollback
         deny alembic downgrade base
         ask alembic downgrade -1
         allow alembic upgrade head
         deny uv run alembic downgrade base
         ask flask db downgrade
         deny mix ecto.reset
         ask mix ecto.rollback
         allow mix ecto.migrate
         deny diesel database reset
         ask diesel migration revert
         deny sqlx database drop -y
         deny dotnet ef database drop --force
         allow dotnet ef migrations add X
         deny flyway -url=x clean
         allow flyway migrate
         deny liquibase dropAll
         ask liquibase rollbackCount 1
         allow liquibase update
         deny drush sql-drop -y
         deny drush sql:query 'drop table node'
         allow drush cr
         allow drush sql:query 'select 1'
         deny wp db reset --yes
         deny wp site empty
         ask wp search-replace a b
         allow wp search-replace a b --dry-run
         ask wp post delete 3
         allow wp post list
         ask supabase db reset
         deny firebase firestore:delete --all-collections
         allow firebase deploy --only hosting
         deny dbmate drop
         ask dbmate rollback
         deny goose reset
         allow goose up
         deny rails runner 'Cart.delete_all'
         deny rails runner \"Cart.connection.execute('TRUNCATE carts')\"
         allow rails runner 'puts Cart.count'
         deny python -c 'from shop import db; db.drop_all()'
         deny python3 -c \"import sqlite3; sqlite3.connect('shop.db').execute('DELETE FROM carts')\"
         allow python3 -c \"import sqlite3; print(sqlite3.connect('x.db').execute('select 1'))\"
         deny php artisan tinker --execute='Cart::truncate();'
         allow php artisan tinker --execute='echo Cart::count();'",
    );
}
