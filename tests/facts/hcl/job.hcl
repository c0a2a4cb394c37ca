datacenter = "here"
#  ^^^^ def key datacenter
job "web" {
#    ^^^ def block job.web
  group "front" {
#        ^^^^^ def block job.web.group.front
    task "serve" {
#         ^^^^^ def block job.web.group.front.task.serve
      driver = "exec"
    }
    network {
      port "http" {}
    }
  }
}
