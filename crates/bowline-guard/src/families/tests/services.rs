use super::{check, each, verdict};

#[test]
fn clouds() {
    check(
        "deny aws s3 rb s3://shop --force
         deny aws --profile p s3 rm --recursive s3://shop/data
         ask aws s3 rm s3://shop/data/a.txt
         deny aws s3 sync . s3://shop --delete
         allow aws s3 sync . s3://shop
         allow aws s3 sync . s3://shop --delete --dryrun
         allow aws s3 cp a.txt s3://shop/
         deny aws ec2 terminate-instances --instance-ids i-1
         deny aws rds delete-db-instance --db-instance-identifier x
         deny aws dynamodb delete-table --table-name carts
         deny aws cloudformation delete-stack --stack-name shop
         deny aws kms schedule-key-deletion --key-id x
         deny aws eks delete-cluster --name x
         deny aws logs delete-log-group --log-group-name x
         deny aws sqs purge-queue --queue-url x
         deny aws s3api delete-bucket --bucket shop
         deny aws iam delete-user --user-name ann
         ask aws lambda delete-function --function-name resize
         ask aws ec2 stop-instances --instance-ids i-1
         ask aws events delete-rule --name x
         allow aws ec2 terminate-instances --instance-ids i-1 --dry-run
         allow aws sts get-caller-identity
         allow aws cloudformation describe-stacks
         deny gcloud projects delete shop-1
         deny gcloud compute instances delete web-1 --zone z
         deny gcloud sql instances delete main
         deny gcloud storage rm -r gs://shop
         deny gcloud container clusters delete prod
         ask gcloud run services delete web
         ask gcloud functions delete f
         ask gcloud compute instances stop web-1
         allow gcloud compute instances list
         allow gcloud config unset project
         deny az group delete --name shop
         deny az sql db delete -g g -s s -n shop
         deny az storage container delete -n c
         ask az vm deallocate -g g -n web
         ask az functionapp delete -n f -g g
         allow az vm list
         deny gsutil -m rm -r gs://shop
         deny gsutil rb gs://shop
         deny gsutil rsync -d a gs://shop
         ask gsutil rm gs://shop/a.txt
         allow gsutil ls gs://shop
         deny doctl compute droplet delete 1
         allow doctl compute droplet list
         deny hcloud server delete web
         deny linode-cli volumes delete 1
         deny openstack volume delete v
         deny heroku apps:destroy -a shop
         deny heroku pg:reset DATABASE -a shop
         ask heroku config:unset X -a shop
         ask heroku ps:scale web=0
         allow heroku logs --tail
         deny fly apps destroy shop
         deny flyctl volumes delete vol_1
         ask fly machine stop 1
         allow fly status
         ask vercel rm shop
         allow vercel ls
         deny netlify sites:delete abc
         deny wrangler d1 delete shop
         deny wrangler r2 bucket delete shop
         ask wrangler delete
         allow wrangler dev
         deny rclone purge remote:shop
         deny rclone sync a remote:shop
         allow rclone sync a remote:shop --dry-run
         allow rclone ls remote:shop
         allow rclone copy a remote:shop
         deny s3cmd del --recursive s3://shop
         deny mc rm --recursive --force minio/shop
         deny mc rb minio/shop
         allow mc ls minio",
    );
}

#[test]
fn infrastructure() {
    check(
        "deny terraform destroy
         deny terraform -chdir=prod destroy -auto-approve
         deny terraform apply -destroy
         deny tofu destroy
         deny terragrunt run-all destroy
         deny terragrunt destroy
         ask terraform apply -auto-approve
         ask terraform apply plan.out
         ask terraform state rm x.y
         ask terraform state mv a b
         ask terraform taint x.y
         ask terraform force-unlock 123
         ask terraform workspace delete dev
         ask terraform import x.y id
         allow terraform plan -destroy
         allow terraform init
         allow terraform state list
         allow terraform destroy --help
         deny pulumi destroy --yes
         ask pulumi up --yes
         ask pulumi state delete urn
         allow pulumi preview
         deny cdk destroy --all
         ask cdk deploy
         allow cdk diff
         allow cdk synth
         deny sls remove
         ask sls deploy
         deny sam delete
         deny sst remove
         deny eb terminate shop
         deny azd down
         ask vagrant destroy
         allow vagrant up
         deny ansible all -m shell -a 'rm -rf /srv/x'
         deny ansible db -m file -a 'path=/srv state=absent'
         ask ansible web -m shell -a 'systemctl restart nginx'
         ask ansible-playbook site.yml
         allow ansible all -m ping
         allow ansible web -m shell -a 'uptime'
         allow ansible-playbook site.yml --check
         allow ansible-playbook site.yml --syntax-check
         ask nomad job stop web
         deny cf delete shop -f",
    );
}

#[test]
fn clusters() {
    check(
        "deny kubectl delete ns shop
         deny kubectl delete namespace/shop
         deny kubectl -n shop delete pvc data-0
         deny kubectl delete pv,pvc --all
         deny kubectl delete all --all
         deny kubectl delete crd x.example.org
         deny kubectl delete deploy --all -A
         deny kubectl delete node n1
         deny oc delete project shop
         ask kubectl delete pod web-0
         ask kubectl delete pods --all
         ask kubectl delete -f k8s.yaml
         ask kubectl delete svc/web deploy/web
         ask kubectl delete job x --force --grace-period=0
         ask kubectl drain n1
         ask kubectl scale --replicas=0 deploy/web
         ask kubectl replace --force -f x.yaml
         ask kubectl rollout undo deploy/web
         allow kubectl scale --replicas=3 deploy/web
         allow kubectl rollout restart deploy/web
         allow kubectl delete ns shop --dry-run=client
         ask kubectl apply -f k8s/
         allow kubectl get pods
         allow kubectl describe secret x
         deny helm uninstall web
         deny helm delete web -n shop
         ask helm rollback web 3
         allow helm list
         allow helm upgrade --install web ./chart
         allow helm uninstall web --dry-run
         deny helmfile destroy
         deny argocd app delete web
         ask flux suspend ks x
         deny eksctl delete cluster --name x
         deny kubeadm reset
         ask kind delete cluster
         ask minikube delete
         ask k3d cluster delete dev
         allow kind create cluster
         deny velero backup delete b1",
    );
}

#[test]
fn containers() {
    check(
        "deny docker volume rm data
         deny docker volume prune
         deny podman volume rm --all
         deny docker system prune --volumes -f
         deny docker system prune -a --volumes
         deny podman system reset
         ask docker system prune -af
         ask docker compose down -v
         ask docker-compose -f dev.yml down --volumes
         ask docker compose rm -fsv db
         ask docker stack rm shop
         allow docker compose down
         allow docker compose up -d
         allow docker compose down --dry-run -v
         allow docker rm -f web-test
         allow docker stop web
         allow docker rmi web:old
         allow docker image prune -a
         allow docker builder prune -f
         allow docker buildx prune
         allow docker container prune
         allow docker volume ls
         allow docker run --rm -v data:/d alpine ls
         allow docker ps -a
         ask podman rm --all
         ask podman stop -a
         deny qm destroy 12
         ask lxc delete web
         deny virsh undefine web
         ask multipass delete dev
         deny wsl --unregister Ubuntu",
    );
    assert_eq!(
        verdict(&each("kubectl delete $X", "kubectl get ns -o name")),
        "deny"
    );
    for (command, expected) in [
        ("docker rm -f $IDS", "ask"),
        ("docker rm -fv $IDS", "deny"),
        ("docker stop $IDS", "ask"),
        ("docker rmi $IDS", "ask"),
    ] {
        assert_eq!(
            verdict(&each(command, "docker ps -aq")),
            expected,
            "{command}"
        );
    }
}
