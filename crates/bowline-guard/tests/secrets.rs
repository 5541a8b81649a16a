//! Secrets: every rule by its examples, texts of each kind, hostile input, and the labelled corpus.

use std::fmt::Write as _;

use bowline_guard::secrets::{Confidence, check_rules, expand, redact, rules, scan};
use bowline_testkit::{corpus, needs};
use proptest::prelude::*;

/// Texts in which exactly what stands between « and » must vanish.
const VANISH: &[&str] = &[
    "The API key is «{a24}»",
    "Secret access key: «{a40}»",
    "spring.datasource.password=«Tr0ub4dor-3x»",
    "PGPASSWORD=«Gr33nTea_77» psql -h db",
    "<property name=\"password\" value=\"«Gr33nTea_77»\"/>",
    "- name: DB_PASSWORD\n  value: «Gr33nTea_77»",
    "{\"name\": \"DB_PASSWORD\", \"value\": \"«Gr33nTea_77»\"}",
    "//registry.npmjs.org/:_authToken=«9f8e7d6c-aaaa-4bbb-8ccc-123456789abc»",
    "//registry.example.com/:_auth=«Y2k6U3ByMW5nVGltZTc3»",
    "machine api.example.com login ci password «Gr33nTea_77»",
    "machine api.example.com\n  login ci\n  password «greenteahouse»",
    "db.example.com:5432:shop:app:«Gr33nTea_77»",
    "https://ci:«Gr33nTea_77»@git.example.com",
    "[client]\nuser=root\npassword=«Gr33nTea_77»",
    "    token: «{a20}»",
    "    client-key-data: «LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0tLQpNSUlFcEFJQkFBS0NBUUVB»",
    "secret_key_base: «{h64}»",
    "define('DB_PASSWORD', '«Gr33nTea_77»');",
    "define( 'AUTH_KEY', '«k#9d|Lq2!xT7v^Zb4$Rm8*Wp1&Hn6@Js3»' );",
    "ansible_become_pass: «Gr33nTea_77»",
    "sshpass -p '«Gr33nTea_77»' ssh root@host",
    "sshpass -p«Gr33nTea_77» ssh root@host",
    "mysqldump -uroot -p«Gr33nTea_77» shop > dump.sql",
    "mysql -h db -u root --password=«Gr33nTea_77» shop",
    "mongo -u admin -p «Gr33nTea_77» --authenticationDatabase admin",
    "mongosh \"mongodb+srv://admin:«Gr33nTea_77»@cluster0.example.net/db\"",
    "curl --user ci:«Gr33nTea_77» https://api.example.com",
    "curl -uci:«Gr33nTea_77» https://api.example.com",
    "curl -H \"X-Api-Key: «7Kq2LpXv5Tz7RbYw3kJ8sN»\" https://api.example.com",
    "curl -d 'user=ci&password=«Gr33nTea_77»' https://x",
    "curl -d '{\"user\":\"ci\",\"password\":\"«Gr33nTea_77»\"}' https://x",
    "curl -d \"{\\\"user\\\":\\\"ci\\\",\\\"password\\\":\\\"«Gr33nTea_77»\\\"}\" https://x",
    "gpg --batch --passphrase «Gr33nTea_77» -d f.gpg",
    "az storage blob list --account-name x --account-key «{a40}==»",
    "kubectl create secret generic db --from-literal=password=«Gr33nTea_77»",
    "aws configure set aws_secret_access_key «{a40}»",
    "heroku config:set SECRET_KEY=«kJ8sNq2LpXv5Tz7R» -a app",
    "npm config set //registry.example.com/:_authToken «{a20}»",
    "echo \"root:«Gr33nTea_77»\" | chpasswd",
    "echo '«Gr33nTea_77»' | sudo -S apt update",
    "openssl rsa -in k.pem -passin pass:«Gr33nTea_77»",
    "zip -P «Gr33nTea_77» -r a.zip dir",
    "htpasswd -b .htpasswd ci «Gr33nTea_77»",
    "htpasswd -b -b .htpasswd ci «Gr33nTea_77»",
    "htpasswd -cb .htpasswd ci «Gr33nTea_77» && ls",
    "htpasswd -bBC 10 .htpasswd ci '«Gr33nTea_77»'",
    "htpasswd -c -B -b /etc/nginx/.htpasswd ci \"«Gr33nTea_77»\"",
    "docker run --rm httpd:2.4 htpasswd -nbB ci «Gr33nTea_77» >> users 2>/dev/null",
    "ldapsearch -x -D cn=admin -w «Gr33nTea_77» -b dc=x",
    "keytool -list -keystore a.jks -storepass «Gr33nTea_77»",
    "smbclient //h/s -U ci%«Gr33nTea_77»",
    "docker login -u ci -p «Gr33nTea_77» registry.example.com",
    "vault login «s.{a24}»",
    "vault kv put secret/db password=«Gr33nTea_77»",
    "the password was changed to «Gr33nTea_77»",
    "login: admin, password: «Gr33nTea_77»",
    "user admin / pass «Gr33nTea_77»",
    "SET PASSWORD FOR 'ci'@'%' = '«Gr33nTea_77»';",
    "ALTER USER app WITH PASSWORD '«Gr33nTea_77»';",
    "wifi password (guest): «Gr33nTea_77»",
    "password -> «Gr33nTea_77»",
    "creds: admin:«Gr33nTea_77»",
    "The root password is now \"«Gr33nTea_77»\".",
    "your new password is: «Gr33nTea_77»",
    "pw: «Gr33nTea_77»",
    "Passphrase: «correct-horse-battery-staple»",
    "My password is `«Gr33nTea_77»`.",
    "Authorization: Token «{a20}»",
    "Authorization: ApiKey «{a20}»",
    "Proxy-Authorization: Basic «Y2k6U3ByMW5nVGltZTc3»",
    "Authorization: Basic «Y2k6U3ByMW5nVGltZTc3»",
    "headers: { Authorization: `Bearer «{a20}»` }",
    "headers = {\"Authorization\": \"Bearer «{a20}»\"}",
    "req.Header.Set(\"Authorization\", \"Bearer «{a20}»\")",
    "Cookie: sessionid=«{a20}»; theme=dark",
    "Cookie: PHPSESSID=«{h32}»",
    "PRIVATE-TOKEN: «{a20}»",
    "DD-API-KEY: «{h32}»",
    "x-goog-api-key: «{a20}»",
    "AccountKey=«{a76}==»;EndpointSuffix=core.windows.net",
    "https://x.blob.core.windows.net/c/f?sv=2022-11-02&sig=«{a43}%3D»&se=2024",
    "https://bucket.s3.amazonaws.com/f?X-Amz-Signature=«{h64}»&X-Amz-Date=2024",
    "jdbc:mysql://db:3306/shop?user=app&password=«Gr33nTea_77»&useSSL=false",
    "otpauth://totp/acme:ci?secret=«JBSWY3DPEHPK3PXP»&issuer=acme",
    "Data Source=sql01;User ID=sa;Pwd=«Gr33nTea_77»;",
    "root:«$6$rounds=5000$saltsalt${a60}»:19000:0:99999:7:::",
    "const password = '«Gr33nTea_77»';",
    "let token: string = \"«{a20}»\";",
    "static TOKEN: &str = \"«{a20}»\";",
    "password: Option<String> = Some(\"«Gr33nTea_77»\".into())",
    "conn = psycopg2.connect(host=\"db\", password=\"«Gr33nTea_77»\")",
    "db.connect({ user: 'app', password: '«Gr33nTea_77»' })",
    "config.set(\"password\", \"«Gr33nTea_77»\")",
    "$config['db']['password'] = '«Gr33nTea_77»';",
    "password => \"«Gr33nTea_77»\"",
    ":password => '«Gr33nTea_77»',",
    "password: '«swordfish»'",
    "DB_PASS=«swordfish»",
    "REDIS_PASSWORD: «swordfish7»",
    "requirepass «Gr33nTea_77»",
    "masterauth «Gr33nTea_77»",
    "| Password | «Gr33nTea_77» |",
    "<Password>«Gr33nTea_77»</Password>",
    "<string name=\"api_key\">«{a20}»</string>",
    "<secret>«{a20}»</secret>",
    "$ echo $API_TOKEN\n«{a20}»",
    "TWILIO_AUTH_TOKEN=«{h32}»",
    "CLOUDFLARE_API_TOKEN=«{a40}»",
    "FASTLY_API_KEY: «{a32}»",
    "export ALGOLIA_ADMIN_KEY=«{h32}»",
    "NEXTAUTH_SECRET=«{a43}=»",
    "APP_KEY=«base64:{a43}=»",
    "encryption_key = \"«{a32}»\"",
    "SECRET_KEY = '«django-insecure-k9d%lq2!xt7v^zb4rm8*wp1&hn6@js3(0f=c»'",
    "--set db.password=«Gr33nTea_77»",
    "--set-string auth.token=«{a20}»",
    "helm install x --set global.postgresql.auth.postgresPassword=«Gr33nTea_77»",
    "mount -t cifs //h/s /mnt -o username=ci,password=«Gr33nTea_77»,vers=3.0",
    "kind: Secret\nmetadata:\n  name: db\ndata:\n  user: «YXBw»\n  password: «R3IzM25UZWFfNzc=»",
    "git clone https://«{a20}»@github.com/acme/api.git",
    "git remote set-url origin https://x-access-token:«{a20}»@github.com/acme/api.git",
    "$env:API_TOKEN = \"«{a20}»\"",
    "set DB_PASSWORD=«Gr33nTea_77»",
    "setx API_KEY «{a20}»",
    "ENV SECRET_TOKEN «{a20}»",
    "ARG NPM_TOKEN=«{a20}»",
    "hub:\n  oauth_token: «{h40}»",
    "user.password = «Gr33nTea_77»",
    "password=\"«Gr33n Tea 77!»\"",
    "--password \"«Gr33nTea_77»\"",
    "--password='«Gr33nTea_77»'",
    "the old pass `«Gr33nTea_77»` is gone",
    "log in with the password `«--Gr33n-Tea»`",
    "log in with the password '«--green_tea»'",
    "-Dpassword=«Gr33nTea_77»",
    "[\"--password\", \"«Gr33nTea_77»\"]",
    "args: [--token, «{a20}»]",
    "Connection refused for user=app password=«Gr33nTea_77» host=db",
    "{\"password\":\"«Gr33nTea_77»\",\"user\":\"x\"}",
    "password%3D«Gr33nTea_77»",
    "xfreerdp /v:host /u:admin /p:«Gr33nTea_77»",
    "http -a ci:«Gr33nTea_77» GET api.example.com",
    "mosquitto_pub -u ci -P «Gr33nTea_77» -t x",
    "borg create --passcommand \"echo «Gr33nTea_77»\" repo::now",
    "security add-generic-password -a ci -s svc -w «Gr33nTea_77»",
    "sqlcmd -S sql01 -U sa -P «Gr33nTea_77» -Q \"select 1\"",
    "amqps://svc:«Gr33nTea%2177»@mq.example.com",
    "ftp://anonymous:«Gr33nTea_77»@ftp.example.com/x",
    "BOT_TOKEN=«123456789:{a34}»",
    "x-auth-key: «{h37}»",
    "api_key \"«{a20}»\"",
    "apikey: «{a20}»,",
    "webhook_secret = «{a20}»",
    "ci:«$apr1$abcdefgh${a21}/»",
    "kind: Secret\napiVersion: v1\nmetadata:\n  name: x\nstringData:\n  config.json: '«{\"a\":1}x9k»'\n  PLAIN: «some»",
    "apiVersion: v1\nitems:\n- apiVersion: v1\n  data:\n    cfg: «R3IzM25UZWFfNzc=»\n  kind: Secret",
    "{\"apiVersion\":\"v1\",\"data\":{\"cfg\":\"«R3IzM25UZWFfNzc=»\"},\"kind\":\"Secret\",\"metadata\":{\"name\":\"x\"}}",
    "-----BEGIN RSA PRIVATE KEY-----\n«Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0A1B2C3D4E5F60718293A4B5C6D7E8F9\n\n{a64}»\n-----END RSA PRIVATE KEY-----\nport: 1",
    "     1\\t-----BEGIN PRIVATE KEY-----\n     «2\\t{a64}\n     3\\t{a64}»\n     4\\t...",
    "+-----BEGIN EC PRIVATE KEY-----\n«+{a64}\n+»-----END EC PRIVATE KEY-----\n+x",
    "«{a64}\nabcd==»\n-----END RSA PRIVATE KEY-----\ndone",
    "seed_phrase: «alpha beach cargo delta eagle fancy giant habit igloo jelly koala lemon»",
    "PRIVATE_KEY=«0x{h64}»",
    "\"private_key\": \"«{a40}»\"",
    "«eyJhbGciOiJSUzI1NiIsImtpZCI6IjEifQ.eyJzdWIiOiIxIiwiZXhwIjoxNzAwMDAwMDAwfQ.{a40}»",
    "id_token=«eyJhbGciOiJSUzI1NiIsImtpZCI6IjEifQ.eyJzdWIiOiIxIiwiZXhwIjoxNzAwMDAwMDAwfQ.{a40}»&state=1",
    "Password for user ci: «Gr33nTea_77»",
    "the admin login is admin / «Gr33nTea_77»",
    "password «hunter2-Blue!9» for the box",
    "Use «hunter2-Blue!9» as the password",
    "(password: «hunter2-Blue!9»)",
    "\"pass\": \"«hunter2-Blue!9»\"",
    "pass = «hunter2-Blue!9»",
    "pass: '«Ab1!»'",
    "\"auth\": {\"user\": \"ci\", \"pass\": \"«hunter2-Blue!9»\"}",
    "auth=(\"ci\", \"«hunter2-Blue!9»\")",
    "requests.get(url, auth=('ci', '«Gr33nTea_77»'))",
    "HTTPBasicAuth('ci', '«Gr33nTea_77»')",
    "client.login(\"ci\", \"«Gr33nTea_77»\")",
    "create user app with password '«Gr33nTea_77»';",
    "CREATE USER 'ci'@'%' IDENTIFIED WITH mysql_native_password BY '«Gr33nTea_77»';",
    "GRANT ALL ON *.* TO 'ci'@'localhost' IDENTIFIED BY '«Gr33nTea_77»';",
    "CREATE LOGIN ci WITH PASSWORD = '«Gr33nTea_77»';",
    "SMTP_PASS=\"«Gr33nTea_77»\"",
    "mail.smtp.password: «Gr33nTea_77»",
    "MYSQL_ROOT_PASSWORD: «Gr33nTea_77»",
    "      - POSTGRES_PASSWORD=«Gr33nTea_77»",
    "      POSTGRES_PASSWORD: \"«Gr33nTea_77»\"",
    "environment:\n  - SECRET_KEY=«{a20}»",
    "variable \"db_password\" {\n  default = \"«Gr33nTea_77»\"\n}",
    "db_password = \"«Gr33nTea_77»\"",
    "password = \"«Gr33nTea_77»\" # prod",
    "  \"ConnectionStrings\": { \"Default\": \"Server=db;Database=x;User Id=sa;Password=«Gr33nTea_77»;\" }",
    "<add name=\"Db\" connectionString=\"Server=db;uid=sa;pwd=«Gr33nTea_77»;\" />",
    "mongodb://admin:«Gr33nTea_77»@m1:27017,m2:27017/db?replicaSet=rs0",
    "HTTP_PROXY=http://proxyuser:«Gr33nTea_77»@proxy.example.com:3128",
    "svn checkout --username ci --password «Gr33nTea_77» https://x",
    "ansible-playbook x.yml -e \"db_password=«Gr33nTea_77»\"",
    "terraform apply -var=\"db_password=«Gr33nTea_77»\"",
    "terraform apply -var 'api_token=«{a20}»'",
    "java -Djavax.net.ssl.keyStorePassword=«Gr33nTea_77» -jar x.jar",
    "java -Dspring.datasource.password=«Gr33nTea_77» -jar x.jar",
    "mvn deploy -Dgpg.passphrase=«Gr33nTea_77»",
    "gradle publish -PsigningPassword=«Gr33nTea_77»",
    "twine upload -u __token__ -p «{a20}» dist/*",
    "cargo login «{a24}»",
    "gem push --key «{a24}»",
    "rclone config create r s3 secret_access_key «{a24}»",
    "git config --global http.extraHeader \"Authorization: Basic «Y2k6U3ByMW5nVGltZTc3»\"",
    "psql \"host=db user=app password='«Gr33nTea_77»' dbname=x\"",
    "pg_dump --dbname=postgresql://app:«Gr33nTea_77»@db/x",
    "slack_signing_secret: «{h32}»",
    "SENTRY_AUTH_TOKEN=«{h64}»",
    "aws_secret_access_key=«{a40}»",
    "\"token\":\"«{a20}»\"",
    "'token': b'«{a20}»'",
    "token=«{a20}»;path=/",
    "secret: \"«{a20}»\"",
    "[db]\npassword = \"«Gr33nTea_77»\"\nhost = \"x\"",
    "USERNAME=ci PASSWORD=«Gr33nTea_77» ./run.sh",
    "export SECRET=\"«Gr33nTea_77-x»\"",
    "{\"api_key\": \"«{a20}»\", \"model\": \"gpt-4\"}",
    "apiKey={\"«{a20}»\"}",
    "new Client({ apiKey: '«{a20}»' })",
    "Client(api_key=\"«{a20}»\")",
    "client = OpenAI(api_key='«{a20}»')",
    "DOCKER_AUTH_CONFIG={\"auths\":{\"r.example.com\":{\"auth\":\"«Y2k6U3ByMW5nVGltZTc3»\"}}}",
    "\"_password\": \"«R3IzM25UZWFfNzc=»\"",
    "password: «R3IzM25UZWFfNzc=»",
    "tls.key: «LS0tLS1CRUdJTiBQUklWQVRFIEtFWS0tLS0tCk1JSUV2Z0lCQURBTkJna3Foa2lHOXcw»",
    "Username: ci\nPassword: «Gr33nTea_77»",
    "Password:\n  «Gr33nTea_77»",
    "> password: «Gr33nTea_77»",
    "// password: «Gr33nTea_77»",
    "# DB_PASSWORD=«Gr33nTea_77»",
    "-DB_PASSWORD=«Gr33nTea_77»\n+DB_PASSWORD=${DB_PASSWORD}",
    "**Password:** «Gr33nTea_77»",
    "*Password*: `«Gr33nTea_77»`",
    "Password: «**Gr33nTea_77**»",
    "passwd=«Gr33nTea_77»",
    "DB_PASSWORD=\"«p@ss w0rd #1»\"",
    "DB_PASSWORD=«p@$$w0rd!»",
    "DB_PASSWORD='«$uper$ecret1»'",
    "SECRET_KEY_BASE=«{a20}»",
];

/// Texts that must stay as they are.
const STAY: &[&str] = &[
    "public key: {a43}",
    "ed25519 key: AAAAC3NzaC1lZDI1NTE5AAAAI{a43}",
    "    certificate-authority-data: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUM1ekNDQWMrZ0F3SUJBZ0lC",
    "password: string",
    "password = forms.CharField(widget=forms.PasswordInput)",
    "token := r.Header.Get(\"Authorization\")",
    "if (token === null) return",
    "def login(user, password):",
    "const hash = await bcrypt.hash(password, 10)",
    "password: Joi.string().min(8).required()",
    "\"password\": \"Password\",",
    "\"password\": \"Mot de passe\",",
    "\"forgotPassword\": \"Forgot your password?\",",
    "<input type=\"password\" name=\"password\" placeholder=\"Enter password\" />",
    "<label for=\"password\">Password</label>",
    "autocomplete=\"new-password\"",
    "key: ${{ runner.os }}-node-${{ hashFiles('**/package-lock.json') }}",
    "GITHUB_TOKEN: ${{ secrets.GITHUB_TOKEN }}",
    "token = request.headers[\"X-Token\"]",
    "API_KEY=your_api_key_here",
    "SECRET_KEY=changeme",
    "DB_PASSWORD=xxxxxxxx",
    "TOKEN=",
    "password: ${PASSWORD:-}",
    "password: {{ .Values.password }}",
    "password: \"{{ vault_password }}\"",
    "secretName: app-tls-2024",
    "secret: my-app-secret-v2",
    "tokens: 12345",
    "\"max_tokens\": 4096, \"temperature\": 0.7",
    "\"total_tokens\": 1540",
    "token_type: Bearer",
    "TokenExpired: token abc expired at 2023-11-30T08:15:42Z",
    "error: invalid token at line 12",
    "SyntaxError: Unexpected token '<', \"<!DOCTYPE \"... is not valid JSON",
    "Unexpected token } in JSON at position 1342",
    "primary key (id)",
    "FOREIGN KEY (user_id) REFERENCES users(id)",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{a40} dev@host",
    "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA{a20}\n-----END PUBLIC KEY-----",
    "-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nmQINBF{a40}\n-----END PGP PUBLIC KEY BLOCK-----",
    "go.sum: github.com/x/y v1.2.3 h1:{a43}=",
    "resolved \"https://registry.yarnpkg.com/x/-/x-1.0.0.tgz#{h40}\"",
    "    --hash=sha256:{h64} \\",
    "<script src=\"/app.js\" integrity=\"sha384-{a64}\" crossorigin=\"anonymous\">",
    "main.4f3a2b1c.chunk.js 120 KB",
    "Merge: 3f2a9c8 b7d6e5f",
    "session_id: 3f2a9c8b-7d6e-4f4a-8b2c-1d0e9f8a7b6c",
    "\"session_id\": \"{h32}\"",
    "request_id=req_{a20}",
    "trace_id={h32} span_id=3f2a9c8b7d6e5f4a",
    "primaryKey: 3f2a9c8b-7d6e-4f4a-8b2c-1d0e9f8a7b6c",
    "public_key = \"{a43}=\"",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=",
    "password reset email sent to user 42",
    "Reset token sent",
    "use a password manager such as 1Password",
    "the token is valid for 24h",
    "The password must be 8-64 characters long",
    "password: minimum 12 characters, at least 1 digit",
    "token=$(cat /run/secrets/token)",
    "export TOKEN=$(glab config get token)",
    "curl -H \"Authorization: Bearer ${TOKEN}\" https://x",
    "curl -u \"$USER:$PASS\" https://x",
    "curl -u user https://x",
    "htpasswd -c .htpasswd Gr33nTea_77",
    "htpasswd -b .htpasswd ci \"$PASSWORD\"",
    "htpasswd -nb Gr33nTea_77",
    "htpasswd -D .htpasswd Gr33nTea_77",
    "cat .htpasswd -b Gr33nTea_77",
    "docker run -p 8080:80 -e API_KEY nginx",
    "mysql -u root -p shop",
    "ssh -p 2222 user@host",
    "psql postgres://localhost:5432/shop",
    "redis-cli -h cache -p 6379",
    "http://localhost:3000/@fs/home",
    "git@github.com:acme/api.git",
    "mailto:dev@example.com",
    "https://example.com/reset?token=",
    "https://github.com/acme/api/commit/{h40}",
    "arn:aws:secretsmanager:us-east-1:123456789012:secret:db-AbC123",
    "secret_arn = \"arn:aws:secretsmanager:us-east-1:123456789012:secret:db-AbC123\"",
    "password_file: /run/secrets/db_password",
    "POSTGRES_PASSWORD_FILE=/run/secrets/pg",
    "key_file = \"/etc/ssl/private/server.key\"",
    "ssl_certificate_key /etc/nginx/ssl/server.key;",
    "keyFile: ./certs/tls.key",
    "private_key_path = \"~/.ssh/id_ed25519\"",
    "IdentityFile ~/.ssh/id_ed25519",
    "resource \"aws_secretsmanager_secret\" \"db\" {",
    "data.aws_secretsmanager_secret_version.db.secret_string",
    "password = var.db_password",
    "password = random_password.db.result",
    "password = data.vault_generic_secret.db.data[\"password\"]",
    "api_key: !secret openai_key",
    "password: ENC[AES256_GCM,data:kJ8sNq2LpXv5,iv:abc=,tag:def=,type:str]",
    "fn validate_token(token: &str) -> Result<Claims>",
    "public string Password { get; set; }",
    "private readonly tokenService: TokenService,",
    "const token = await getToken({ req })",
    "const { token } = useAuth();",
    "const token2 = token1;",
    "let auth_token = generate_token(32);",
    "password = secrets.token_urlsafe(16)",
    "assert response.json()[\"token\"] == expected_token",
    "self.password = password",
    "user.setPassword(encoder.encode(rawPassword));",
    "SELECT password FROM users WHERE id = 1",
    "UPDATE users SET password = $1 WHERE id = $2",
    "INSERT INTO tokens (token, user_id) VALUES (?, ?)",
    "CREATE TABLE users (password VARCHAR(255) NOT NULL)",
    "password varchar(128)",
    "PasswordAuthentication no",
    "password requisite pam_pwquality.so retry=3",
    "AuthorizedKeysFile .ssh/authorized_keys",
    "passwd: password updated successfully",
    "root:x:0:0:root:/root:/bin/bash",
    "token: <YOUR_TOKEN>",
    "token: \"...\"",
    "token: '***'",
    "password: ********",
    "apiKey: \"sk-...\"",
    "const re = /password\\s*=\\s*[\"']([^\"']+)[\"']/",
    "pattern = r\"(?i)api[_-]?key\\s*[:=]\\s*['\\\"]?([a-z0-9]{32,})\"",
    "secrets:\n  db_password:\n    file: ./db_password.txt",
    "PASS src/auth/token.test.ts (5.123 s)",
    "src/auth/password.rs:42:11: warning: unused variable: `password`",
    "  token    Token  // 16 bytes",
    " keyCode: 13, key: \"Enter\"",
    "<div key={item.id} className=\"x1a2b3c4\">",
    "cache-key: v1-deps-3f2a9c8b",
    "idempotency_key: 3f2a9c8b-7d6e-4f4a-8b2c-1d0e9f8a7b6c",
    "kid: {a20}",
    "client_id: {a20}",
    "AWS_ACCESS_KEY_ID=",
    "stripe publishable pk_live_{a20}",
    "SHA256:{a43} dev@host (ED25519)",
    "age: age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p",
    "Keyboard: pc105",
    "author: Jane <jane@example.com>",
    "authors = [\"Jane <jane@example.com>\"]",
    "authenticated as user 1234abcd5678",
    "OAuth2 uses access tokens and refresh tokens.",
    "basic auth is disabled",
    "Basic knowledge2share",
    "bearer authentication2",
    "docker build --secret id=npmrc,src=$HOME/.npmrc .",
    "glab auth status",
    "gh auth login --with-token < token.txt",
    "kubectl get secret db-credentials -o jsonpath='{.data.password}' | base64 -d",
    "vault kv get -field=token secret/ci",
    "aws secretsmanager get-secret-value --secret-id ci/runner",
    "op read op://vault/db/password",
    "pass show db/prod",
    "passwd root",
    "openssl rand -hex 32",
    "openssl enc -aes-256-cbc -pass env:PASS -in f",
    "export PATH=/usr/local/bin:$PATH",
    "PWD=/home/dev/project2",
    "OLDPWD=/home/dev/x1",
    "SSH_AUTH_SOCK=/tmp/ssh-AbCd1234EfGh/agent.4242",
    "XAUTHORITY=/run/user/1000/gdm/Xauthority",
    "GPG_AGENT_INFO=/tmp/gpg-x",
    "token = \"abc\"",
    "const TOKEN_KEY = 'auth_token';",
    "localStorage.setItem(\"token\", token)",
    "localStorage.getItem(\"access_token\")",
    "cookies.set(\"session\", sessionId, { httpOnly: true })",
    "Set-Cookie: theme=dark; Path=/",
    "Cookie: <redacted>",
    "type Token = { kind: string; value: string }",
    "enum TokenKind { Ident, Number }",
    "Token(type=STRING, value='hello world', lineno=12)",
    "tokenizer = AutoTokenizer.from_pretrained(\"bert-base-uncased\")",
    "eos_token: \"<|endoftext|>\"",
    "pad_token_id: 50256",
    "sep_token=\"[SEP]\"",
    "\"bos_token\": \"<s>\"",
    "secret/data/db",
    "ERROR 1045 (28000): Access denied for user 'root'@'localhost' (using password: YES)",
    "FATAL:  password authentication failed for user \"app\"",
    "remote: Support for password authentication was removed on August 13, 2021.",
    "remote: Invalid username or password.",
    "WARNING! Using --password via the CLI is insecure. Use --password-stdin.",
    "error: test failed, to rerun pass `--lib`",
    "error: doctest failed, to rerun pass `--doc`",
    "To build without it, pass \"--no-default-features\" to cargo.",
    "Login Succeeded",
    "debug1: Authentications that can continue: publickey,password",
    "debug1: Offering public key: /home/dev/.ssh/id_ed25519 ED25519 SHA256:{a43} agent",
    "gpg: key 3F2A9C8B7D6E5F4A: public key \"Jane <j@x>\" imported",
    "Primary key fingerprint: 3F2A 9C8B 7D6E 5F4A 3B2C  1D0E 9F8A 7B6C 5D4E 3F2A",
    "pub   rsa4096/0x3F2A9C8B7D6E5F4A 2020-01-01",
    "apt-key adv --recv-keys 3F2A9C8B7D6E5F4A",
    "tokens_per_second: 42.5",
    "{\"usage\":{\"prompt_tokens\":12,\"completion_tokens\":34,\"total_tokens\":46}}",
    "key=value pairs",
    "sort_key=created_at",
    "\"key\": \"Linux-x64-{h32}\"",
    "etag: W/\"3f2a-{a27}\"",
    "session: 42 opened for user root",
    "session closed for user dev2",
    "Session ID: 3f2a9c8b-7d6e-4f4a-8b2c-1d0e9f8a7b6c",
    "nonce: {a20}",
    "x-request-id: {a20}",
    "digest: sha256:{h64}",
    "tokenHash: {h32}",
    "\"keyid\": \"3f2a9c8b7d6e5f4a\"",
    "API key not found in environment variable OPENAI_API_KEY",
    "Error: Missing required secret DATABASE_PASSWORD in section2",
    "fetch(url, { headers: { Authorization: `Bearer ${token}` } })",
    "headers={\"Authorization\": f\"Bearer {token}\"}",
    "\"Authorization\": \"Bearer \" + token",
    "Authorization: Bearer YOUR_TOKEN",
    "Authorization: Basic <base64>",
    "auth: oauth2",
    "auth_type: basic2",
    "auth required pam_unix.so",
    "const AUTH_TOKEN_KEY = \"auth-token-v2\";",
    "SECRET_NAME=prod/db/creds-1",
    "KEY_VAULT_NAME=acme-kv-2024",
    "secretKeyRef:\n  name: db-creds-2\n  key: password",
    "key: db-password-2",
    "imagePullSecrets:\n  - name: regcred2",
    "tokenURL: https://auth.example.com/oauth2/token",
    "password_encryption = scram-sha-256",
    "PASSWORD_HASHERS = ['django.contrib.auth.hashers.Argon2PasswordHasher']",
    "passwordEncoder: BCryptPasswordEncoder(12)",
    "if (password.length < 8) throw new Error(\"Password too short\")",
    "expect(password).toHaveLength(12)",
    "password: yup.string().min(8)",
    "z.object({ password: z.string().min(8).max(64) })",
    "password: { type: String, required: true, minlength: 8 }",
    "password: faker.internet.password(12)",
    "@Column({ select: false }) password: string;",
    "password := os.Getenv(\"DB_PASSWORD1\")",
    "token, err := jwt.Parse(raw, keyFunc)",
    "token.Claims[\"sub\"]",
    "let token = tokens[i + 1];",
    "match token { Token::Number(n) => n, _ => 0 }",
    "key := fmt.Sprintf(\"user:%d\", id)",
    "ssh_host_ed25519_key.pub",
    "\"password\": null",
    "\"password\": \"\"",
    "password: !vault |",
    "secret = \"${var.secret}\"",
    "ssh_key_name = \"deploy-key-2024\"",
    "key_name = \"prod-key-2024\"",
    "{h40} refs/heads/token-fix",
    "feat(auth): rotate token every 24h (#1234)",
    "- [ ] add password2 field",
    "password strength: 4/5",
    "password expires in 90d",
    "Password last set: 2024-05-01T10:00:00",
    "password: changed 2024-05-01",
    "Key size: 4096",
    "Token: EOF",
    "token: identifier `foo1`",
    "token \"foo\" unexpected",
];

#[test]
fn every_rule_keeps_its_promises() {
    if let Err(faults) = check_rules() {
        let list: Vec<String> = faults.iter().map(ToString::to_string).collect();
        panic!("{}", list.join("\n"));
    }
}

#[test]
fn there_are_many_kinds_and_each_has_examples() {
    let mut ids: Vec<&str> = rules().iter().map(|rule| rule.id).collect();
    let kinds = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), kinds, "a rule id is used twice");
    assert!(kinds >= 100, "{kinds}");
    for rule in rules() {
        assert!(!rule.matches.is_empty(), "{}", rule.id);
        assert!(!rule.ignores.is_empty(), "{}", rule.id);
    }
}

/// Empties the marked parts: `a «b» c` and `a [REDACTED:x] c` both become `a «» c`.
fn emptied(text: &str, open: &str, close: char) -> String {
    let mut rest = text;
    let mut emptied = String::new();
    while let Some((before, after)) = rest.split_once(open) {
        let (_, tail) = after.split_once(close).unwrap_or((after, ""));
        let _ = write!(emptied, "{before}«»");
        rest = tail;
    }
    emptied + rest
}

#[test]
fn only_the_secret_vanishes() {
    for template in VANISH {
        let marked = expand(template);
        let text = marked.replace(['«', '»'], "");
        let redacted = redact(&text);
        assert_eq!(
            emptied(&redacted, "[REDACTED:", ']'),
            emptied(&marked, "«", '»'),
            "{text}"
        );
    }
}

#[test]
fn what_is_no_secret_stays() {
    for template in STAY {
        let text = expand(template);
        assert_eq!(redact(&text), text);
    }
}

#[test]
fn a_secret_survives_no_nesting() {
    let token = expand("ghp_{a36}");
    for wrapped in [
        format!("{{\"env\":\"TOKEN={token}\\nPORT=1\"}}"),
        format!("\"{{\\\"token\\\":\\\"{token}\\\"}}\""),
        format!("bash -c 'export T={token}; run'"),
        format!("https://x.test/?q=%22{token}%22"),
        format!("<a>{token}</a>"),
        format!("ключ={token}，готово"),
        format!("\u{1b}[32m{token}\u{1b}[0m").replace("[32m", "[32;1m "),
    ] {
        assert!(!redact(&wrapped).contains(&token), "{wrapped}");
    }
}

#[test]
fn findings_are_sorted_apart_and_graded() {
    let text = expand("a ghp_{a36} b password=Gr33nTea_77 c AKIA{A16}");
    let findings = scan(&text);
    let graded: Vec<_> = findings.iter().map(|f| (f.rule, f.confidence)).collect();
    assert_eq!(
        graded,
        [
            ("github-token", Confidence::Certain),
            ("password", Confidence::Likely),
            ("aws-access-key-id", Confidence::Certain),
        ]
    );
    assert!(findings.is_sorted_by(|a, b| a.span.end <= b.span.start));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    /// Any mixture of telling parts is redacted without a panic, on character boundaries, for good.
    #[test]
    fn redaction_is_total_and_final(parts in proptest::collection::vec(part(), 0..24)) {
        let text = parts.concat();
        for finding in scan(&text) {
            prop_assert!(text.get(finding.span.clone()).is_some(), "{finding:?}");
        }
        let once = redact(&text).into_owned();
        let twice = redact(&once);
        prop_assert_eq!(&*twice, &*once);
    }
}

fn part() -> impl Strategy<Value = String> {
    let known = [
        "password",
        "token",
        "=",
        ": ",
        "\"",
        "'",
        " ",
        "\n",
        "\\",
        "://",
        "user:",
        "@host/",
        "é",
        "→",
        "-----BEGIN RSA PRIVATE KEY-----",
        "-----END RSA PRIVATE KEY-----",
        "Authorization: Bearer ",
        "curl -u ",
        "mysql -p",
        "Gr33nTea_77",
        "{a36}",
        "ghp_{a36}",
        "{b64}",
        "[REDACTED:x]",
        "&",
        ";",
        "Cookie: sid=",
        "kind: Secret\n",
        "data:\n  a: ",
        "$6$abc$",
        "{",
        "}",
        "(",
        ")",
        ",",
        "<",
        ">",
        "is ",
        "for ",
        "value",
        "api_key",
        "AKIA{A16}",
        "eyJhbGciOiJIUzI1NiJ9.{a20}.{a20}",
    ];
    prop_oneof![
        4 => proptest::sample::select(known.to_vec()).prop_map(expand),
        1 => any::<String>(),
    ]
}

#[needs(corpus)]
#[test]
fn the_labelled_corpus() {
    let corpus = corpus("secrets.jsonl");
    let strings = |case: &serde_json::Value, field: &str| -> Vec<String> {
        let list = case[field].as_array().cloned().unwrap_or_default();
        list.iter()
            .filter_map(|s| s.as_str().map(str::to_owned))
            .collect()
    };
    let (mut with, mut leaks, mut lost_beside) = (0u32, 0u32, 0u32);
    let (mut free, mut lost_free) = (0u32, 0u32);
    for line in corpus.lines().filter(|line| !line.trim().is_empty()) {
        let case: serde_json::Value = serde_json::from_str(line).unwrap();
        let text = case["text"].as_str().unwrap();
        let redacted = redact(text);
        let secrets = strings(&case, "secrets");
        let leaked = secrets.iter().any(|secret| redacted.contains(secret));
        let lost = strings(&case, "keep")
            .iter()
            .any(|keep| !redacted.contains(keep));
        if leaked || lost {
            println!(
                "{} leaked={leaked} lost={lost}\n  {text:?}\n  {redacted:?}",
                case["id"]
            );
        } else if secrets.is_empty() && redacted != text {
            println!("{} changed\n  {text:?}\n  {redacted:?}", case["id"]);
        }
        if secrets.is_empty() {
            free += 1;
            lost_free += u32::from(lost);
        } else {
            with += 1;
            leaks += u32::from(leaked);
            lost_beside += u32::from(lost);
        }
        assert_eq!(redact(&redacted), redacted, "not idempotent: {text:?}");
    }
    println!(
        "with secrets: {with}, leaks {leaks}, lost {lost_beside}; free: {free}, lost {lost_free}"
    );
    assert!(leaks * 100 <= with, "{leaks} of {with} texts leak");
    assert!(
        lost_beside * 100 <= with,
        "{lost_beside} of {with} texts lose what must stay"
    );
    assert!(
        lost_free * 200 <= free,
        "{lost_free} of {free} secret-free texts lose what must stay"
    );
}
